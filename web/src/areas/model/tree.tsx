/** The containment tree: loads branches on expansion and draws only visible rows. */
import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { mimRoutes } from "@weft/contracts/browser";
import { ChevronRight, Network } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { getAnswer } from "../../platform/call.ts";
import { formatCount } from "../../platform/format.ts";
import { joinClasses } from "../../ui/classes.ts";
import { Empty, ProblemBanner, Skeleton } from "../../ui/page.tsx";
import { getRows, getStep } from "./branches.ts";
import { useTree } from "./state.ts";

const ROW = 26;
const LONG_MS = 10 * 60_000;

export function ClassTree({ current, onOpen }: { current: string | undefined; onOpen(name: string): void }) {
	const open = useTree((tree) => tree.open);
	const [focused, setFocused] = useState("");
	const names = useMemo(() => ["", ...new Set([...open].map((path) => path.slice(path.lastIndexOf("/") + 1)))], [open]);
	const answers = useQueries({
		queries: names.map((name) => ({
			...getAnswer(mimRoutes.tree, { query: name === "" ? {} : { parent: name } }),
			staleTime: LONG_MS,
		})),
	});
	const known = new Map(names.map((name, index) => [name, answers[index]?.data] as const));
	const rows = getRows({ listChildren: (name) => known.get(name), isOpen: (path) => open.has(path) });
	const box = useRef<HTMLDivElement>(null);
	const virtual = useVirtualizer({
		count: rows.length,
		getScrollElement: () => box.current,
		estimateSize: () => ROW,
		overscan: 8,
	});
	const [top] = answers;
	const wanted = useTree((tree) => tree.wanted);
	// The root itself is not in the tree.
	const atTop = new Set(top?.data?.map((node) => node.name));
	const first = wanted.findIndex((name) => atTop.has(name));
	const path = first < 0 ? "" : wanted.slice(first).join("/");
	const place = path === "" ? -1 : rows.findIndex((row) => row.path === path);
	useEffect(() => {
		const { openAbove, arrive } = useTree.getState();
		if (path === "") return;
		if (place < 0) return openAbove(path);
		setFocused(path);
		virtual.scrollToIndex(place, { align: "center" });
		arrive();
	}, [path, place, virtual]);
	const failed = answers.find(({ error }) => error !== null);
	if (top?.data === undefined && failed === undefined) return <Skeleton lines={8} />;
	if (failed) {
		return (
			<div className="p-2">
				<ProblemBanner error={failed.error} onRetry={() => void failed.refetch()} />
			</div>
		);
	}
	if (rows.length === 0) return <Empty icon={Network}>No model is loaded.</Empty>;
	const at = rows.findIndex(({ path }) => path === focused);
	const active = rows[at === -1 ? 0 : at];
	const turn = (path: string) => useTree.getState().turn(path);
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Enter" && active) {
			event.preventDefault();
			onOpen(active.node.name);
			return;
		}
		const step = getStep(event.key, rows, active?.path ?? "");
		if (step === null) return;
		event.preventDefault();
		if ("turn" in step) return turn(step.turn);
		setFocused(step.to);
		virtual.scrollToIndex(rows.findIndex(({ path }) => path === step.to));
	};
	const drawn = virtual.getVirtualItems();
	const isDrawn = drawn.some(({ index }) => rows[index]?.path === active?.path);
	return (
		<div
			ref={box}
			role="tree"
			aria-label="Containment tree"
			tabIndex={0}
			aria-activedescendant={isDrawn ? `tree-${active?.path}` : undefined}
			className="group h-full overflow-y-auto p-1 outline-offset-[-2px]"
			onKeyDown={onKeyDown}
		>
			<div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
				{drawn.map(({ index, start }) => {
					const row = rows[index];
					if (row === undefined) return null;
					const { path, node, level, position, siblings } = row;
					return (
						// biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active item
						// biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys
						<div
							key={path}
							id={`tree-${path}`}
							role="treeitem"
							aria-level={level}
							aria-posinset={position}
							aria-setsize={siblings}
							aria-expanded={node.has_children ? row.open : undefined}
							aria-selected={node.name === current}
							className={joinClasses(
								"absolute inset-x-0 flex cursor-pointer items-center gap-1 rounded-cell pr-2 hover:bg-sunken",
								node.name === current && "bg-accent-soft font-medium text-accent-text",
								path === active?.path && "group-focus-visible:outline-2 group-focus-visible:outline-accent-text",
							)}
							style={{ height: ROW, top: start, paddingLeft: (Math.min(level, 12) - 1) * 14 }}
							onClick={() => {
								setFocused(path);
								onOpen(node.name);
							}}
						>
							{/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys of the tree do the same */}
							{/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
							<span
								className="grid size-6 shrink-0 place-items-center text-muted"
								onClick={(event) => {
									if (!node.has_children) return;
									event.stopPropagation();
									setFocused(path);
									turn(path);
								}}
							>
								{node.has_children && (
									<ChevronRight size={14} aria-hidden="true" className={joinClasses(row.open && "rotate-90")} />
								)}
							</span>
							<span className="mono shrink-0">{node.name}</span>
							<span className="min-w-0 flex-1 truncate text-muted text-xs">{node.display_name}</span>
							{node.has_children && <span className="num text-2xs text-muted">{formatCount(node.child_count)}</span>}
						</div>
					);
				})}
			</div>
		</div>
	);
}
