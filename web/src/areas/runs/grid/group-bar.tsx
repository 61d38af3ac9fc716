/** The column that groups the rows, with buttons that ungroup them and open or close all folds. */
import { X } from "lucide-react";
import { formatPlural } from "../../../platform/format.ts";
import { TextButton } from "../../../ui/button.tsx";

interface GroupBarProps {
	/** Key of the column. */
	readonly group: string;
	/** Number of its different values. */
	readonly count: number;
	onOpenAll(): void;
	onCloseAll(): void;
	onRemove(): void;
}

export function GroupBar({ group, count, onOpenAll, onCloseAll, onRemove }: GroupBarProps) {
	return (
		<fieldset className="m-0 flex flex-wrap items-center gap-3 border-0 border-line border-t px-5 py-1.5 max-sm:px-3">
			<legend className="sr-only">Groups</legend>
			<span className="inline-flex h-6 max-w-full items-center gap-1 rounded-full bg-accent-soft pr-0.5 pl-2.5 text-accent-text">
				<span className="truncate">
					Grouped by <span className="mono font-medium">{group}</span>
				</span>
				<button
					type="button"
					aria-label={`Remove the grouping by ${group}`}
					className="grid h-5 w-5 shrink-0 place-items-center rounded-full hover:bg-line"
					onClick={onRemove}
				>
					<X size={12} aria-hidden="true" />
				</button>
			</span>
			<span className="num text-muted" role="status">
				{formatPlural(count, "group")}
			</span>
			<TextButton onClick={onOpenAll}>Open all</TextButton>
			<TextButton onClick={onCloseAll}>Close all</TextButton>
		</fieldset>
	);
}
