// The frame of one page: its heading, which takes the focus when somebody navigates here.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let is_first_page = true;

export function Page({
    title,
    heading,
    intro,
    actions,
    children,
}: {
    /** Of the tab. */
    title: string;
    heading?: ComponentChildren;
    intro?: ComponentChildren;
    actions?: ComponentChildren;
    children: ComponentChildren;
}) {
    const h1 = useRef<HTMLHeadingElement>(null);
    useEffect(() => {
        document.title = `${title} · radd`;
    }, [title]);
    useEffect(() => {
        // The browser does this itself when it loads a page; here nobody else does.
        if (!is_first_page) {
            h1.current?.focus({ preventScroll: true });
            window.scrollTo(0, 0);
        }
        is_first_page = false;
    }, []);
    return (
        <>
            <div class="page-head">
                <div>
                    <h1 ref={h1} tabIndex={-1}>
                        {heading ?? title}
                    </h1>
                    {intro && <div class="intro">{intro}</div>}
                </div>
                {actions && <div class="actions">{actions}</div>}
            </div>
            {children}
        </>
    );
}

export function Section({
    title,
    aside,
    children,
}: {
    title: string;
    aside?: ComponentChildren;
    children: ComponentChildren;
}) {
    const id = `section-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
    return (
        <section aria-labelledby={id}>
            <div class="section-head">
                <h2 id={id}>{title}</h2>
                {aside}
            </div>
            {children}
        </section>
    );
}

export interface Fact {
    label: string;
    value: ComponentChildren;
    note?: ComponentChildren;
}

export function Facts({ facts }: { facts: Fact[] }) {
    return (
        <dl class="facts">
            {facts.map((fact) => (
                <div class="fact" key={fact.label}>
                    <dt>{fact.label}</dt>
                    <dd>
                        {fact.value}
                        {fact.note && <span class="fact-note">{fact.note}</span>}
                    </dd>
                </div>
            ))}
        </dl>
    );
}
