/** The same query as an indented list: for narrow screens, for keys, for screen readers. */
import { CircleAlert, CornerDownRight, Link2, Trash2 } from "lucide-react";
import { formatCount, formatDuration } from "../../../platform/format.ts";
import { IconButton } from "../../../ui/button.tsx";
import { joinClasses } from "../../../ui/classes.ts";
import { isPipeline } from "./model/canvas.ts";
import { formatLines, formatTitle, KIND_NAMES } from "./model/describe.ts";
import { buildOutline, type OutlineRow } from "./model/outline.ts";
import { KIND_LOOKS } from "./node.tsx";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";

interface ListViewProps {
	onConnect(id: string): void;
	onRemove(): void;
	onOpen(): void;
}

export function ListView({ onConnect, onRemove, onOpen }: ListViewProps) {
	const doc = useDoc();
	const rows = buildOutline(doc);
	return (
		<div className="h-full overflow-auto p-3">
			<ul aria-label="Nodes of the query" className="m-0 flex max-w-3xl list-none flex-col gap-1 p-0">
				{rows.map((row, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: a node may be named several times
					<Item key={`${row.node.id}:${index}`} row={row} {...{ onConnect, onRemove, onOpen }} />
				))}
			</ul>
		</div>
	);
}

function Item({ row: { node, depth, edge, again }, onConnect, onRemove, onOpen }: { row: OutlineRow } & ListViewProps) {
	const store = useBuilderStore();
	const selected = useBuilder((state) => state.selection.has(node.id));
	const problem = useBuilder((state) => state.problems.byId.get(node.id));
	const run = useBuilder((state) => state.runs[node.id]);
	const { icon: Icon, look } = KIND_LOOKS[node.type];
	const choose = () => store.getState().select([node.id]);
	return (
		<li
			className={joinClasses(
				"flex min-h-9 flex-wrap items-center gap-2 rounded-control border bg-surface px-2 py-1",
				selected ? "border-accent" : "border-line",
			)}
			style={{ marginLeft: Math.min(depth, 12) * 20 }}
		>
			{depth > 0 && <CornerDownRight size={13} className="shrink-0 text-muted" aria-hidden="true" />}
			<span className={joinClasses("grid size-5 shrink-0 place-items-center rounded-cell", look)}>
				<Icon size={12} aria-hidden="true" />
			</span>
			<button
				type="button"
				aria-pressed={selected}
				className="mono min-w-0 rounded-cell py-0.5 text-left font-semibold hover:underline"
				onClick={() => {
					choose();
					onOpen();
				}}
			>
				<span className="sr-only">
					Level {depth + 1}, {KIND_NAMES[node.type]}{" "}
				</span>
				{formatTitle(node)}
			</button>
			{again && <span className="text-muted text-xs">(also above)</span>}
			{edge && isPipeline(edge) && (
				<span className="text-violet text-xs">takes {String(edge.data.extractField ?? "dn")}</span>
			)}
			{!again && <span className="mono min-w-0 flex-1 truncate text-muted">{formatLines(node).join(" · ")}</span>}
			{problem && (
				<span className="flex items-center gap-1 text-bad text-xs">
					<CircleAlert size={13} aria-hidden="true" />
					{problem}
				</span>
			)}
			{run && !again && (
				<span className="num text-muted text-xs">
					{run.state === "reading" ? "reading" : run.state}
					{run.rows !== null && `, ${formatCount(run.rows)} rows`}
					{run.ms !== null && `, ${formatDuration(run.ms)}`}
				</span>
			)}
			{!again && (
				<span className="ml-auto flex">
					{node.type !== "outputNode" && (
						<IconButton
							variant="ghost"
							label={`Connect ${formatTitle(node)} to`}
							icon={Link2}
							onClick={() => onConnect(node.id)}
						/>
					)}
					<IconButton
						variant="ghost"
						label={`Delete ${formatTitle(node)}`}
						icon={Trash2}
						onClick={() => {
							choose();
							onRemove();
						}}
					/>
				</span>
			)}
		</li>
	);
}
