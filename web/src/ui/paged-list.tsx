/** A page of a list in its frame. */
import type { ReactNode } from "react";
import { type AnswerLike, Loaded } from "./page.tsx";
import { Pager } from "./table.tsx";

export interface PagedListProps<Row> {
	readonly answer: AnswerLike<{ readonly results: readonly Row[]; readonly count: number }>;
	/** Lines of the placeholder until the answer is there. */
	readonly lines: number;
	readonly page: number;
	readonly pageSize: number;
	/** Shown in place of the rows where there are none. */
	readonly empty: ReactNode;
	onPage(page: number): void;
	children(rows: readonly Row[]): ReactNode;
}

export function PagedList<Row>({ answer, lines, page, pageSize, empty, onPage, children }: PagedListProps<Row>) {
	return (
		<div className="overflow-hidden rounded-card border border-line bg-surface">
			<Loaded answer={answer} lines={lines}>
				{({ results, count }) =>
					results.length === 0 ? (
						empty
					) : (
						<>
							{children(results)}
							<Pager page={page} pageSize={pageSize} count={count} onPage={onPage} />
						</>
					)
				}
			</Loaded>
		</div>
	);
}
