/** Plain tables for one page of a list. Large results use the grid. */
import type { ReactNode } from "react";
import { handleRowKeys } from "../platform/row-keys.ts";
import { joinClasses } from "./classes.ts";

export interface Column<Row> {
	readonly key: string;
	readonly head: ReactNode;
	readonly align?: "right";
	/** Classes of the cell; `grow` columns take the remaining width. */
	readonly className?: string;
	/** Stays in sight at the right end when the table scrolls sideways. */
	readonly sticky?: boolean;
	cell(row: Row): ReactNode;
}

interface TableProps<Row> {
	readonly label: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	getKey(row: Row): string;
	/** Marks a row. */
	isCurrent?(row: Row): boolean;
}

export function Table<Row>({ label, columns, rows, getKey, isCurrent }: TableProps<Row>) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
		<section className="relative overflow-x-auto" tabIndex={0} aria-label={label} onKeyDown={handleRowKeys}>
			<table className="w-full border-collapse text-left">
				<thead>
					<tr>
						{columns.map(({ key, head, align, className, sticky = false }) => (
							<th
								key={key}
								scope="col"
								className={joinClasses(
									"h-7 whitespace-nowrap border-line border-b px-3 font-normal text-muted",
									align === "right" && "text-right",
									sticky && "sticky right-0 bg-surface",
									className,
								)}
							>
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr
							key={getKey(row)}
							aria-current={isCurrent?.(row) || undefined}
							className="border-line border-b bg-surface last:border-b-0 hover:bg-sunken has-[:focus-visible]:bg-sunken aria-[current]:bg-accent-soft"
						>
							{columns.map(({ key, align, className, sticky = false, cell }) => (
								<td
									key={key}
									className={joinClasses(
										"h-(--row) max-w-md px-3",
										align === "right" && "num whitespace-nowrap text-right",
										sticky && "sticky right-0 bg-inherit",
										className,
									)}
								>
									{cell(row)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

/** A name of any length, cut at the end. */
export function ShortName({ name }: { name: string }) {
	return (
		<span className="block max-w-48 truncate" title={name}>
			{name}
		</span>
	);
}

interface PagerProps {
	readonly page: number;
	readonly pageSize: number;
	readonly count: number;
	onPage(page: number): void;
}

export function Pager({ page, pageSize, count, onPage }: PagerProps) {
	const pages = Math.max(1, Math.ceil(count / pageSize));
	if (pages === 1) return null;
	const first = (page - 1) * pageSize + 1;
	const step =
		"h-7 rounded-control border border-line bg-surface px-2.5 font-medium hover:bg-sunken disabled:cursor-default disabled:opacity-50";
	return (
		<nav aria-label="Pages" className="flex items-center justify-end gap-2 border-line border-t px-3 py-2 text-muted">
			<span className="num">
				{first} to {Math.min(count, page * pageSize)} of {count}
			</span>
			<button type="button" className={step} disabled={page <= 1} onClick={() => onPage(page - 1)}>
				Previous
			</button>
			<button type="button" className={step} disabled={page >= pages} onClick={() => onPage(page + 1)}>
				Next
			</button>
		</nav>
	);
}
