/** Problems of the rows, each leading to its cell. */
import { formatCount, formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import type { Column, GridHistory, Problem } from "./grid-model.ts";
import type { Check } from "./use-check.ts";

const LISTED = 100;

export interface SheetState {
	/** Null for a template without sheets. */
	readonly name: string | null;
	readonly columns: readonly Column[];
	readonly history: GridHistory;
}

interface FindingsProps {
	readonly sheets: readonly SheetState[];
	readonly problems: readonly (readonly Problem[])[];
	readonly total: number;
	readonly check: Check;
	readonly rowCount: number;
	onShow(sheet: number, problem: Problem): void;
}

export function Findings({ sheets, problems, total, check, rowCount, onShow }: FindingsProps) {
	const listed = problems.flatMap((list, index) => list.map((problem) => ({ problem, index }))).slice(0, LISTED);
	return (
		<section aria-label="Problems" className="border-line border-t">
			<p role="status" className="m-0 flex flex-wrap items-center gap-2 px-3 py-2">
				{rowCount === 0 ? (
					<span className="text-muted">Type, paste from a spreadsheet, or drop a CSV or XLSX file on the table.</span>
				) : total > 0 ? (
					<b className="text-bad">{formatPlural(check.result?.error_count ?? total, "problem")}</b>
				) : check.isChecking ? (
					<span className="text-muted">Checking {formatPlural(rowCount, "row")}</span>
				) : check.result?.valid ? (
					<b className="text-ok">{formatPlural(rowCount, "row")}, no problems</b>
				) : (
					check.error !== null && <span className="text-warn">Not checked: {findProblem(check.error).detail}</span>
				)}
			</p>
			{listed.length > 0 && (
				<ol className="m-0 max-h-48 list-none overflow-y-auto border-line border-t p-0">
					{listed.map(({ problem, index }) => {
						const { place, message } = problem;
						const sheet = sheets[index];
						const column = place === null ? undefined : sheet?.columns[place.column];
						const where = [
							sheet?.name ?? "",
							place === null ? "" : `row ${formatCount(place.row + 1)}`,
							column ? column.label || column.name : "",
						];
						return (
							<li
								key={`${index} ${place?.row} ${place?.column} ${message}`}
								className="border-line border-b last:border-b-0"
							>
								<button
									type="button"
									className="flex w-full flex-wrap gap-x-2 px-3 py-1 text-left hover:bg-sunken"
									onClick={() => onShow(index, problem)}
								>
									<span className="num text-muted">{where.filter(Boolean).join(", ")}</span>
									<span className="text-bad">{message}</span>
								</button>
							</li>
						);
					})}
				</ol>
			)}
		</section>
	);
}
