// Lines over time, by uPlot.

import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

import { count } from '../format';
import { is_dark } from '../state/theme';

export interface Line {
    label: string;
    /** A colour of app.css: "--line-1". */
    color: string;
    /** Tells lines apart without colour. */
    dash?: number[];
    values: (number | null)[];
    show: (value: number) => string;
}

const height = 170;

/** Custom properties hold light-dark(), which only the colour of an element resolves. */
function resolved(element: HTMLElement, name: string): string {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    element.append(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
}

function short(value: number): string {
    if (value >= 1e6) return `${+(value / 1e6).toFixed(1)}M`;
    if (value >= 1e4) return `${+(value / 1e3).toFixed(1)}k`;
    return value < 10 ? String(+value.toFixed(1)) : count(value);
}

function options_for(element: HTMLElement, lines: Line[]): UPlot.Options {
    const muted = resolved(element, '--muted');
    const grid = resolved(element, '--grid');
    const font = `12px ${getComputedStyle(element).fontFamily}`;
    const axis = { stroke: muted, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
    const two = (n: number) => String(n).padStart(2, '0');
    const clock = (at: number, seconds: boolean) => {
        const date = new Date(at * 1000);
        const text = `${two(date.getHours())}:${two(date.getMinutes())}`;
        return seconds ? `${text}:${two(date.getSeconds())}` : text;
    };
    return {
        width: Math.max(200, element.clientWidth),
        height,
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
        legend: { live: true },
        scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.08)] } },
        axes: [
            {
                ...axis,
                size: 28,
                space: 80,
                values: (_, splits, __, ___, step) => splits.map((at) => clock(at, step < 60)),
            },
            { ...axis, size: 52, space: 30, values: (_, splits) => splits.map(short) },
        ],
        series: [
            { label: 'time', value: (_, at) => (at === null ? '–' : clock(at, true)) },
            ...lines.map((line) => ({
                label: line.label,
                stroke: resolved(element, line.color),
                width: 1.75,
                ...(line.dash ? { dash: line.dash } : {}),
                points: { show: false },
                value: (_: UPlot, value: number | null) => (value === null ? '–' : line.show(value)),
            })),
        ],
    };
}

export function Plot({ title, at, lines }: { title: string; at: number[]; lines: Line[] }) {
    const frame = useRef<HTMLDivElement>(null);
    const plot = useRef<UPlot>();
    const dark = is_dark();
    const shape = lines.map((line) => line.label).join('\n');

    useEffect(() => {
        const element = frame.current;
        if (!element) return undefined;
        const made = new UPlot(options_for(element, lines), [[], ...lines.map(() => [])], element);
        plot.current = made;
        const resize = new ResizeObserver(() =>
            made.setSize({ width: Math.max(200, element.clientWidth), height }),
        );
        resize.observe(element);
        return () => {
            resize.disconnect();
            made.destroy();
            plot.current = undefined;
        };
        // Colours are painted, so a theme makes a new plot; values only move its lines.
    }, [dark, shape]);

    useEffect(() => {
        plot.current?.setData([at, ...lines.map((line) => line.values)]);
    });

    const summary = lines.map((line) => {
        const known = line.values.filter((value) => value !== null);
        const last = known[known.length - 1];
        if (last === undefined) return `${line.label}: not known yet`;
        return `${line.label}: now ${line.show(last)}, at most ${line.show(Math.max(...known))}`;
    });
    return (
        <figure class="plot">
            <figcaption>{title}</figcaption>
            <div ref={frame} role="img" aria-label={`${title}. ${summary.join('; ')}`} />
        </figure>
    );
}
