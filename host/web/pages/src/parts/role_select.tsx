import { Select } from './form';

export function RoleSelect({ value, on_change }: { value: string; on_change: (role: string) => void }) {
    return (
        <Select
            label="Role"
            value={value}
            on_change={on_change}
            options={[
                ['member', 'member: reads events, works with items'],
                ['admin', 'admin: everything'],
            ]}
        />
    );
}
