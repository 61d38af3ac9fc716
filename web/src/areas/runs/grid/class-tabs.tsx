/** The classes of a result with several: one press shows the rows of one class alone. */
import { useEffect, useState } from "react";
import { formatCount } from "../../../platform/format.ts";
import { getTabClass } from "../../../ui/classes.ts";
import { writeCondition } from "./filter.ts";
import type { GridWorker } from "./grid-worker.ts";

const CLASS = "class";
/** More are found by the column's distinct values. */
const MOST = 12;
const CONDITION = /(^|\s)class=("[^"]*"|\S+)/i;

interface ClassTabsProps {
	readonly worker: GridWorker;
	readonly filter: string;
	onFilter(text: string): void;
}

export function ClassTabs({ worker, filter, onFilter }: ClassTabsProps) {
	const [classes, setClasses] = useState<readonly { value: string | null; count: number }[]>([]);
	useEffect(() => {
		let current = true;
		void worker
			.ask({ kind: "distinct", key: CLASS, of: "all" }, "distinct")
			.then(({ values }) => current && setClasses(values));
		return () => {
			current = false;
		};
	}, [worker]);
	if (classes.length < 2 || classes.length > MOST) return null;
	const chosen = CONDITION.exec(filter)?.[2]?.replaceAll('"', "");
	const others = filter.replace(CONDITION, " ").trim();
	const show = (value: string | null) =>
		onFilter(value === null ? others : `${writeCondition(CLASS, value)} ${others}`.trim());
	return (
		<fieldset className="m-0 flex min-w-0 gap-1 overflow-x-auto border-0 border-line border-t px-4 py-0">
			<legend className="sr-only">Classes</legend>
			<button
				type="button"
				aria-pressed={chosen === undefined}
				className={getTabClass(chosen === undefined)}
				onClick={() => show(null)}
			>
				All classes
			</button>
			{classes.map(({ value, count: rows }) => (
				<button
					key={value}
					type="button"
					aria-pressed={chosen === value}
					className={getTabClass(chosen === value)}
					onClick={() => show(value ?? "")}
				>
					<span className="mono">{value}</span> <span className="num text-muted">{formatCount(rows)}</span>
				</button>
			))}
		</fieldset>
	);
}
