import type { Problem } from '../api/types';

function place_of({ place, file, line }: Problem): string {
    if (place) return place;
    return file ? `${file}${line ? `:${line}` : ''}` : '';
}

/** Why a plugin was refused, and what to do about each reason. */
export function Problems({ id, problems }: { id: string; problems: Problem[] }) {
    return (
        <div class="problems">
            <p>
                <strong>{id}</strong>
            </p>
            <ul>
                {problems.map((problem) => (
                    <li key={`${problem.code} ${place_of(problem)} ${problem.message}`}>
                        <code>{problem.code}</code> {problem.message}
                        {problem.hint && <span class="hint-line">{problem.hint}</span>}
                        {place_of(problem) && <span class="under">{place_of(problem)}</span>}
                    </li>
                ))}
            </ul>
        </div>
    );
}
