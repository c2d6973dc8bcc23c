// A table that becomes a list of cards where there is no room for columns.

import type { ComponentChildren } from 'preact';

import { Empty } from './notice';

export interface Column<Row> {
    head: string;
    cell: (row: Row) => ComponentChildren;
    /** Right-aligned, digits of one width. */
    is_number?: boolean;
    /** What the row is called; a card begins with it. */
    is_title?: boolean;
    /** Holds buttons: the heading is for screen readers alone. */
    is_action?: boolean;
    class?: string;
}

function class_of<Row>(column: Column<Row>): string {
    return [
        column.is_number ? 'number' : '',
        column.is_title ? 'title' : '',
        column.is_action ? 'action' : '',
        column.class ?? '',
    ]
        .filter((name) => name !== '')
        .join(' ');
}

// The roles are what the elements mean already, until CSS lays them out as cards: then browsers
// forget it.
export function Table<Row>({
    caption,
    columns,
    rows,
    row_key,
    empty,
    is_dense = false,
}: {
    /** What it lists; for screen readers. */
    caption: string;
    columns: Column<Row>[];
    rows: Row[];
    row_key: (row: Row) => string;
    /** What is said where there is no row. */
    empty?: string;
    /** Where there is no room for columns, a row is laid out by its page's styles, and no card. */
    is_dense?: boolean;
}) {
    if (rows.length === 0 && empty !== undefined) return <Empty title={empty} />;
    return (
        <table class={is_dense ? 'table dense' : 'table'} role="table">
            <caption class="unseen">{caption}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {columns.map((column) => (
                        <th key={column.head} scope="col" role="columnheader" class={class_of(column)}>
                            {column.is_action ? <span class="unseen">{column.head}</span> : column.head}
                        </th>
                    ))}
                </tr>
            </thead>
            <tbody role="rowgroup">
                {rows.map((row) => (
                    <tr key={row_key(row)} role="row">
                        {columns.map((column) =>
                            column.is_title ? (
                                <th key={column.head} scope="row" role="rowheader" class={class_of(column)}>
                                    {column.cell(row)}
                                </th>
                            ) : (
                                <td
                                    key={column.head}
                                    role="cell"
                                    class={class_of(column)}
                                    data-label={column.head}
                                >
                                    <div class="cell">{column.cell(row)}</div>
                                </td>
                            ),
                        )}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

/** Does something with the row that it stands in; alone, its few words would not say with which. */
export function RowButton({
    label,
    is_grave = false,
    disabled = false,
    on_click,
    children,
}: {
    /** With the name of the row; it begins with what is written on the button. */
    label: string;
    is_grave?: boolean;
    disabled?: boolean;
    on_click: () => void;
    children: ComponentChildren;
}) {
    return (
        <button
            type="button"
            class={is_grave ? 'small danger' : 'small'}
            aria-label={label}
            disabled={disabled}
            onClick={on_click}
        >
            {children}
        </button>
    );
}
