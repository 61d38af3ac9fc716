/** One row with everything in it, beside the grid. */
import { parseExact } from "@weft/contracts/exact-json";
import { ChevronDown, ChevronUp, Filter } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ValueLink } from "../../../ui/object-link.tsx";
import type { GridWorker } from "./grid-worker.ts";
import { ObjectLinks, type Origin } from "./object-links.tsx";
import { iterateFields } from "./table.ts";
import { CONNECTION } from "./use-addresses.ts";
import { useFindConnection } from "./use-find-connection.ts";

interface RowPeekProps {
	readonly worker: GridWorker;
	readonly at: number;
	readonly rows: number;
	readonly origin: Origin;
	/** Shows rows with this value of a column only. */
	onNarrow(key: string, value: string): void;
	onMove(to: number): void;
	onClose(): void;
}

export function RowPeek({ worker, at, rows, origin, onNarrow, onMove, onClose }: RowPeekProps) {
	const [line, setLine] = useState<string | null>(null);
	useEffect(() => {
		let current = true;
		void worker.ask({ kind: "row", at }, "row").then((answer) => current && setLine(answer.line));
		return () => {
			current = false;
		};
	}, [worker, at]);
	const row: unknown = line === null ? {} : parseExact(line);
	const fields = [...iterateFields(row)];
	const getField = (name: string) => fields.find(([key]) => key === name)?.[1];
	const [className, dn] = [getField("class"), getField("dn")];
	const controller = useFindConnection(origin.controller)(getField(CONNECTION));
	const name = String(dn ?? fields[0]?.[1] ?? "");
	return (
		<Dialog
			open
			side="right"
			title={`Row ${at + 1}`}
			description={<span className="mono break-all">{name}</span>}
			onClose={onClose}
			actions={
				<>
					<CopyButton text={line ?? ""} label="Copy the row as JSON">
						Copy as JSON
					</CopyButton>
					<span className="flex-1" />
					<IconButton label="Previous row" icon={ChevronUp} disabled={at === 0} onClick={() => onMove(at - 1)} />
					<IconButton label="Next row" icon={ChevronDown} disabled={at >= rows - 1} onClick={() => onMove(at + 1)} />
				</>
			}
		>
			{typeof className === "string" && typeof dn === "string" && (
				<ObjectLinks {...{ className, dn, query: origin.query, controller }} />
			)}
			<dl className="m-0">
				{fields.map(([key, value]) => (
					<div
						key={key}
						className="grid grid-cols-[minmax(110px,32%)_1fr_auto_auto] items-start gap-2 border-line border-b py-1 last:border-b-0"
					>
						<dt className="mono truncate pt-0.5 text-muted" title={key}>
							{key}
						</dt>
						<dd className="mono m-0 min-w-0 break-all pt-0.5">
							{typeof value !== "string" ? (
								JSON.stringify(value)
							) : (
								<ValueLink name={key} text={value || "\u00a0"} connection={controller} />
							)}
						</dd>
						{typeof value === "string" ? (
							<IconButton label={`Only rows with this ${key}`} icon={Filter} onClick={() => onNarrow(key, value)} />
						) : (
							<span />
						)}
						<CopyButton text={typeof value === "string" ? value : JSON.stringify(value)} label={`Copy ${key}`} />
					</div>
				))}
			</dl>
		</Dialog>
	);
}
