import { pretty_json } from '../api/lossless';
import { Copy } from './copy';

/** A JSON value with every digit, to read and to copy. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
    const text = pretty_json(value);
    return (
        <div class="json">
            <div class="json-head">
                <span>{label}</span>
                <Copy text={text} />
            </div>
            {/* Scrolls by keyboard too, so it must be reachable. */}
            <pre tabIndex={0} role="region" aria-label={label}>
                {text}
            </pre>
        </div>
    );
}
