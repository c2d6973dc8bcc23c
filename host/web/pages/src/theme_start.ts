// Runs before the first paint, so that a chosen theme never flashes the other one.

import { apply_theme, stored_theme } from './state/theme_store';

apply_theme(stored_theme());
