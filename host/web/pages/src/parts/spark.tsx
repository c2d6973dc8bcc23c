/** A line the height of a text line. What it shows is also beside it in words. */
export function Spark({ values }: { values: (number | null)[] }) {
    const width = 96;
    const height = 22;
    const shown = values.slice(-60);
    const max = Math.max(1, ...shown.map((value) => value ?? 0));
    const step = width / Math.max(1, shown.length - 1);
    let path = '';
    let pen = 'M';
    shown.forEach((value, at) => {
        if (value === null) {
            pen = 'M';
            return;
        }
        const y = height - 2 - (value / max) * (height - 4);
        path += `${pen}${(at * step).toFixed(1)} ${y.toFixed(1)}`;
        pen = 'L';
    });
    return (
        <svg
            class="spark"
            viewBox={`0 0 ${width} ${height}`}
            width={width}
            height={height}
            aria-hidden="true"
        >
            <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" />
        </svg>
    );
}
