/** Canvas, inspector and results of one query, and everything that can be done with it. */

import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useCommands } from "../../../platform/keys.ts";
import { useMay } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { useLater } from "../../../ui/later.ts";
import { showProblem } from "../../../ui/toast.tsx";
import { useGroupStart } from "../../fabrics/groups/use-group-start.ts";
import { DraftBanner, FailureBanner } from "./banners.tsx";
import { CanvasView } from "./canvas-view.tsx";
import { BuilderHead } from "./head.tsx";
import { Inspector } from "./inspector/inspector.tsx";
import { ListView } from "./list-view.tsx";
import { getContent } from "./model/canvas.ts";
import { type Overlay, Overlays } from "./overlays.tsx";
import { Starters } from "./starters.tsx";
import { BuilderContext, createBuilderStore, useBuilderStore, useDoc } from "./store.ts";
import { type Edits, useEdits } from "./use-edits.ts";
import { useSettledDoc, useVersionToCome } from "./use-plan.ts";
import { useRun } from "./use-run.ts";
import { type OpenedQuery, useSave } from "./use-save.ts";

export function Workbench(props: OpenedQuery) {
	const { doc, draft } = props;
	const [store] = useState(() => createBuilderStore(draft?.doc ?? doc));
	return (
		<BuilderContext value={store}>
			<Bench {...props} />
		</BuilderContext>
	);
}

const NARROW = "(max-width: 767px)";

function Bench(opened: OpenedQuery) {
	const { saved, version } = opened;
	const may = useMay();
	const navigate = useNavigate();
	const doc = useDoc();
	const settled = useSettledDoc();
	const [overlay, setOverlay] = useState<Overlay>(null);
	const [view, setView] = useState<"canvas" | "list">(() => (matchMedia(NARROW).matches ? "list" : "canvas"));
	const inspector = useRef<HTMLDivElement>(null);
	const save = useSave(opened);
	const { isDirty, canSave } = save;
	const coming = useVersionToCome(settled, saved, isDirty);
	const unchanged = isDirty || version !== null ? null : saved;
	const run = useRun(unchanged);
	const dock = useLater(() => import("./dock.tsx"), run.results !== null);
	const edits = useEdits();
	const canRun = may("execute_savedquery");
	const switchView = () => setView((now) => (now === "canvas" ? "list" : "canvas"));
	const saveNow = () => (saved === null || !canSave ? setOverlay("save") : save.action.mutate(undefined));
	const runNow = () => (doc.variables.length > 0 ? setOverlay("variables") : run.begin.mutate(null));
	const startGroup = useGroupStart(
		(group: string) => ({
			query: unchanged?.id ?? getContent(doc),
			fabrics: { connection_group: group },
			values: {},
		}),
		({ id }) => void navigate({ to: "/runs/groups/$id", params: { id } }),
		showProblem,
	);
	/** A chosen group needs no dialog, unless the query asks for values. */
	const runOnSeveral = (group: string | null) =>
		group === null || doc.variables.length > 0 ? setOverlay({ several: group }) : startGroup.mutate(group);
	const onConnect = (id: string) => setOverlay({ connect: id });
	const elements = {
		onConnect,
		onRemove: edits.remove,
		onOpen: () => inspector.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(),
	};
	const addButton = (
		<Button keys="a" onClick={() => setOverlay("add")}>
			+ Add node
		</Button>
	);
	const starters = doc.nodes.some(({ type }) => type === "classNode") ? null : (
		<Starters onBegin={edits.begin} onPasteRequest={() => setOverlay("paste")} />
	);
	useBuilderCommands(edits, {
		onAdd: () => setOverlay("add"),
		onRun: () => canRun && !run.underWay && runNow(),
		onSave: saveNow,
		onView: switchView,
	});
	return (
		<div className="flex h-full min-h-0 flex-col">
			<BuilderHead
				{...{ saved, version, coming, view, canRun, save, run }}
				onView={switchView}
				onTidy={edits.tidyUp}
				onSave={saveNow}
				onRun={runNow}
				onOpen={setOverlay}
				onSeveral={runOnSeveral}
			/>
			{save.restored && (
				<DraftBanner draft={save.restored} saved={saved} onDiscard={save.discardDraft} onKeep={save.hideDraft} />
			)}
			<FailureBanner run={run} save={save.action} />
			<div className="flex min-h-0 flex-1 max-lg:flex-col">
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">
					<div className="min-h-0 flex-1">
						{view === "canvas" ? (
							<CanvasView {...elements}>
								<div className="flex flex-col items-start gap-3">
									{addButton}
									{starters}
								</div>
							</CanvasView>
						) : (
							<div className="flex h-full flex-col">
								<div className="flex flex-col items-start gap-3 px-3 pt-3">
									{addButton}
									{starters}
								</div>
								<div className="min-h-0 flex-1">
									<ListView {...elements} />
								</div>
							</div>
						)}
					</div>
					{run.results && dock && <dock.Dock {...run.results} scope={saved?.id ?? "new"} onClose={run.closeResults} />}
				</div>
				<div
					ref={inspector}
					className="flex min-h-0 shrink-0 flex-col border-line bg-surface max-lg:max-h-[44%] max-lg:border-t lg:w-72 lg:border-l [&>aside]:min-h-0 [&>aside]:flex-1"
				>
					<Inspector
						settled={settled}
						canRun={canRun}
						onRunTo={(id) => run.look.mutate(id)}
						onConnect={onConnect}
						onRemove={edits.remove}
					/>
				</div>
			</div>
			<Overlays
				{...{ overlay, saved, unchanged, coming, save, edits }}
				onRun={(values) => run.begin.mutate(values)}
				onClose={() => setOverlay(null)}
			/>
		</div>
	);
}

/** The verbs of the builder in the palette and by key, with undo and redo. */
function useBuilderCommands(
	edits: Edits,
	{ onAdd, onRun, onSave, onView }: Record<"onAdd" | "onRun" | "onSave" | "onView", () => unknown>,
) {
	const { undo, redo } = useBuilderStore().getState();
	const group = "Builder";
	const copy = () => edits.hasSelection && edits.copy();
	useCommands([
		{ id: "builder.add", label: "Add a node", group, keys: "a", run: onAdd },
		{ id: "builder.run", label: "Run the query", group, keys: "mod+enter", run: onRun },
		{ id: "builder.save", label: "Save the query", group, keys: "mod+s", run: onSave },
		{ id: "builder.undo", label: "Undo", group, keys: "mod+z", run: undo },
		{ id: "builder.redo", label: "Redo", group, keys: "mod+shift+z", run: redo },
		{ id: "builder.redo2", label: "Redo", group, keys: "mod+y", keysOnly: true, run: redo },
		{ id: "builder.tidy", label: "Tidy up", group, keys: "shift+t", run: edits.tidyUp },
		{ id: "builder.view", label: "Canvas or list", group, keys: "v", run: onView },
		{ id: "builder.copy", label: "Copy selection", group, keys: "mod+c", keysOnly: true, run: copy },
		{ id: "builder.paste", label: "Paste nodes", group, keys: "mod+v", keysOnly: true, run: edits.paste },
	]);
}
