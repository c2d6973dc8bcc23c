// Fields with their labels and what is wrong with them, and forms that wait for an answer.

import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

import { ApiError } from '../api/client';
import { Failure, Notice } from './notice';

type InputProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput' | 'value'>;

interface Labels {
    label: string;
    hint?: string | undefined;
    problem?: string | undefined;
}

/** What surrounds an input: its label before it, what helps and what is wrong behind it. */
function Labelled({
    label,
    hint,
    problem,
    children,
}: Labels & {
    /** Gets what ties the input to all that. */
    children: (ties: {
        id: string;
        'aria-describedby': string | undefined;
        'aria-invalid': true | undefined;
    }) => ComponentChildren;
}) {
    const id = useId();
    const notes = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
    return (
        <div class="field">
            <label for={id}>{label}</label>
            {children({
                id,
                'aria-describedby': notes || undefined,
                'aria-invalid': problem ? true : undefined,
            })}
            {hint && (
                <span class="hint" id={`${id}-hint`}>
                    {hint}
                </span>
            )}
            {problem && (
                <span class="problem" id={`${id}-problem`}>
                    {problem}
                </span>
            )}
        </div>
    );
}

export function Field({
    label,
    hint,
    problem,
    value,
    on_input,
    ...input
}: InputProps &
    Labels & {
        value: string;
        on_input: (value: string) => void;
    }) {
    return (
        <Labelled label={label} hint={hint} problem={problem}>
            {(ties) => (
                <input
                    {...input}
                    {...ties}
                    value={value}
                    onInput={(event) => on_input(event.currentTarget.value)}
                />
            )}
        </Labelled>
    );
}

/** For texts of several lines. */
export function TextArea({
    value,
    required,
    on_input,
    ...labels
}: Labels & {
    value: string;
    required: boolean;
    on_input: (value: string) => void;
}) {
    return (
        <Labelled {...labels}>
            {(ties) => (
                <textarea
                    {...ties}
                    rows={4}
                    value={value}
                    required={required}
                    onInput={(event) => on_input(event.currentTarget.value)}
                />
            )}
        </Labelled>
    );
}

export function Select({
    value,
    options,
    on_change,
    ...labels
}: Labels & {
    value: string;
    options: [value: string, text: string][];
    on_change: (value: string) => void;
}) {
    return (
        <Labelled {...labels}>
            {(ties) => (
                <select {...ties} value={value} onChange={(event) => on_change(event.currentTarget.value)}>
                    {options.map(([option, text]) => (
                        <option key={option} value={option}>
                            {text}
                        </option>
                    ))}
                </select>
            )}
        </Labelled>
    );
}

export interface Act {
    is_running: boolean;
    error: ApiError | undefined;
    /** What the server has against one field, which then shows it. */
    problem: (field: string) => string | undefined;
    /** What it has against fields that nothing shows. */
    other_problems: () => string;
    /** Runs it unless it runs; true once it is done. */
    run: (act: () => Promise<void>) => Promise<boolean>;
}

/** Something that a button starts: one at a time, and what went wrong is kept for the reader. */
export function useAct(): Act {
    const [is_running, set_running] = useState(false);
    const [error, set_error] = useState<ApiError>();
    const shown = new Set<string>();
    return {
        is_running,
        error,
        problem: (field) => {
            shown.add(field);
            return error?.fields.find((one) => one.field === field)?.problem;
        },
        other_problems: () =>
            (error?.fields ?? [])
                .filter((one) => !shown.has(one.field))
                .map((one) => `${one.field}: ${one.problem}`)
                .join('; '),
        run: async (act) => {
            if (is_running) return false;
            set_running(true);
            set_error(undefined);
            try {
                await act();
                return true;
            } catch (failure) {
                set_error(
                    failure instanceof ApiError
                        ? failure
                        : new ApiError(0, 'Not understood', String(failure)),
                );
                return false;
            } finally {
                set_running(false);
            }
        },
    };
}

export function Form({
    act,
    on_submit,
    children,
}: {
    act: Act;
    on_submit: () => void;
    children: ComponentChildren;
}) {
    return (
        <form
            class="form"
            noValidate={false}
            onSubmit={(event) => {
                event.preventDefault();
                on_submit();
            }}
        >
            <ActFailure act={act} />
            {children}
        </form>
    );
}

/** Why it was not done. Nothing is tried again by itself here, whatever the error is. */
export function ActFailure({ act }: { act: Act }) {
    const { error } = act;
    if (!error) return null;
    if (error.passes) {
        return (
            <Notice tone="bad" role="alert" title="Not done">
                {error.detail} Try again in a moment.
            </Notice>
        );
    }
    const text = [error.detail, act.other_problems()].filter(Boolean).join(' ');
    return <Failure error={new ApiError(error.status, error.title, text, [], error.request_id)} />;
}
