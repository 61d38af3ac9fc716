/** A save that failed. After a conflict: the stored version to look at, and a way to replace it. */
import { type ReactNode, useState } from "react";
import { SaveConflict } from "../platform/conflict.ts";
import { formatPlural } from "../platform/format.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Banner, ProblemBanner } from "./page.tsx";

const MOST_SHOWN = 100;

interface SaveProblemProps {
	readonly error: unknown;
	/** Saves the input again, on top of the stored version. */
	onSaveMine(): void;
	/** Shows the stored version; without it, each field that differs is listed. */
	readonly children?: (conflict: SaveConflict) => ReactNode;
}

export function SaveProblem({ error, onSaveMine, children }: SaveProblemProps) {
	const [isOpen, setOpen] = useState(false);
	if (!(error instanceof SaveConflict)) return <ProblemBanner error={error} />;
	const saveMine = () => {
		setOpen(false);
		error.accept();
		onSaveMine();
	};
	return (
		<>
			<Banner
				tone="bad"
				title={error.message}
				detail="Your input is kept and not saved yet."
				action={
					<>
						<Button onClick={() => setOpen(true)}>See theirs</Button>
						<Button variant="primary" onClick={saveMine}>
							Save mine
						</Button>
					</>
				}
			/>
			<Dialog
				open={isOpen}
				wide
				title="The stored version"
				description="Changes that were saved since you opened it. Save mine replaces them with your input."
				onClose={() => setOpen(false)}
				actions={
					<>
						<Button onClick={() => setOpen(false)}>Close</Button>
						<Button variant="primary" onClick={saveMine}>
							Save mine
						</Button>
					</>
				}
			>
				{children === undefined ? <Changes conflict={error} /> : children(error)}
			</Dialog>
		</>
	);
}

function Changes({ conflict: { changes } }: { conflict: SaveConflict }) {
	const more = changes.length - MOST_SHOWN;
	return (
		<>
			<table className="w-full border-collapse text-left">
				<thead>
					<tr className="border-line border-b text-muted text-xs">
						<th className="py-1 pr-3 font-normal">Field</th>
						<th className="py-1 pr-3 font-normal">When you opened it</th>
						<th className="py-1 font-normal">Stored now</th>
					</tr>
				</thead>
				<tbody>
					{changes.slice(0, MOST_SHOWN).map(({ path, old, now }) => (
						<tr key={path} className="border-line border-b align-top last:border-b-0">
							<th scope="row" className="py-1.5 pr-3 font-medium [overflow-wrap:anywhere]">
								{path}
							</th>
							<td className="py-1.5 pr-3 [overflow-wrap:anywhere]">
								<Value text={old} look="bg-(--diff-old)" />
							</td>
							<td className="py-1.5 [overflow-wrap:anywhere]">
								<Value text={now} look="bg-(--diff-new)" />
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{more > 0 && <p className="m-0 mt-2 text-muted">and {formatPlural(more, "more change")}.</p>}
		</>
	);
}

function Value({ text, look }: { text: string | null; look: string }) {
	if (text === null) return <span className="text-muted">(none)</span>;
	return <span className={`mono rounded-cell px-1 ${look}`}>{text === "" ? '""' : text}</span>;
}
