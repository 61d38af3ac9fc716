/** A list of small rows: added, moved and removed. */

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";

interface RowsEditorProps<Row> {
	readonly legend: string;
	readonly rows: readonly Row[];
	/** "column", for the names of the buttons. */
	readonly noun: string;
	readonly readOnly: boolean;
	readonly hint?: string;
	readonly error?: string | undefined;
	getName(row: Row): string;
	make(): Row;
	onChange(rows: Row[]): void;
	children(row: Row, set: (change: Partial<Row>) => void, index: number): ReactNode;
}

export function RowsEditor<Row>({
	legend,
	rows,
	noun,
	readOnly,
	hint,
	error,
	getName,
	make,
	onChange,
	children,
}: RowsEditorProps<Row>) {
	const move = (from: number, to: number) => {
		const next = [...rows];
		next.splice(to, 0, ...next.splice(from, 1));
		onChange(next);
	};
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">{legend}</legend>
			{hint && <p className="m-0 text-muted text-xs">{hint}</p>}
			{error && <GroupMessage text={error} />}
			{rows.map((row, index) => {
				const name = getName(row) || `${noun} ${index + 1}`;
				return (
					// biome-ignore lint/suspicious/noArrayIndexKey: a row is its place: its name is edited
					<div key={index} className="flex flex-wrap items-end gap-2 rounded-control border border-line p-2">
						{children(
							row,
							(change) => onChange(rows.map((each, at) => (at === index ? { ...each, ...change } : each))),
							index,
						)}
						{!readOnly && (
							<span className="ml-auto flex gap-1">
								<IconButton
									variant="ghost"
									label={`Move ${name} up`}
									icon={ArrowUp}
									disabled={index === 0}
									onClick={() => move(index, index - 1)}
								/>
								<IconButton
									variant="ghost"
									label={`Move ${name} down`}
									icon={ArrowDown}
									disabled={index === rows.length - 1}
									onClick={() => move(index, index + 1)}
								/>
								<IconButton
									variant="ghost"
									label={`Remove ${name}`}
									icon={Trash2}
									onClick={() => onChange(rows.filter((_, at) => at !== index))}
								/>
							</span>
						)}
					</div>
				);
			})}
			{!readOnly && (
				<div>
					<Button icon={Plus} onClick={() => onChange([...rows, make()])}>
						Add a {noun}
					</Button>
				</div>
			)}
		</fieldset>
	);
}
