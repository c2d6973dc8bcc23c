import type { Problem } from '../api/types';

/** Why a plugin was refused, and what to do about each reason. */
export function Problems({ id, problems }: { id: string; problems: Problem[] }) {
    return (
        <div class="problems">
            <p>
                <strong>{id}</strong>
            </p>
            <ul>
                {problems.map((problem) => (
                    <li key={`${problem.code} ${problem.place} ${problem.message}`}>
                        <code>{problem.code}</code> {problem.message}
                        {problem.place && <span class="under">{problem.place}</span>}
                        {problem.hint && <span class="under">{problem.hint}</span>}
                    </li>
                ))}
            </ul>
        </div>
    );
}
