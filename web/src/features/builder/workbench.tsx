/** Canvas, inspector and results of one query, and everything that can be done with it. */
import { useNavigate } from "@tanstack/react-router";
import type { PipelineJob, PreviewAnswer, SavedQuery } from "@weft/contracts";
import { backgroundRunRoutes, pipelineRoutes, planningRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import { useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { callRoute, useAction } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { UserError } from "../../platform/failures.ts";
import { useCommands } from "../../platform/keys.ts";
import { findProblem, type Problem } from "../../platform/problem.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { keepTarget, NO_TARGET, useTarget } from "../../platform/target.ts";
import { queries } from "../../platform/weft.ts";
import { Button, TextButton } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy.tsx";
import { useLater } from "../../ui/later.ts";
import { Banner, Boundary, ProblemBanner } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { runsOfStages } from "../runs/frames.ts";
import { useLiveRun } from "../runs/live.ts";
import { type Addition, AddNodeDialog } from "./add-node.tsx";
import { CanvasView } from "./canvas-view.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { Dock } from "./dock.tsx";
import { type Draft, dropDraft, writeDraft } from "./drafts.ts";
import { BuilderHead } from "./head.tsx";
import { Inspector } from "./inspector/inspector.tsx";
import { ListView } from "./list-view.tsx";
import { type Doc, getContent, getText, NODE_WIDTH, writeCanvas } from "./model/canvas.ts";
import { getName } from "./model/describe.ts";
import {
	addNode,
	classAt,
	copyNodes,
	followRelation,
	insertNode,
	moveNodes,
	pasteNodes,
	removeElements,
} from "./model/edit.ts";
import { placeProblems } from "./model/problems.ts";
import { BuilderContext, createBuilderStore } from "./store.ts";
import type { Follow } from "./use-class-choices.ts";
import { useSettledDoc, useVersionToCome } from "./use-plan.ts";

interface WorkbenchProps {
	readonly saved: SavedQuery | null;
	/** As it was saved, or as a new query begins. */
	readonly doc: Doc;
	readonly draft: Draft | null;
	/** An old version that is looked at. */
	readonly version: string | null;
}

export function Workbench(props: WorkbenchProps) {
	const { doc, draft } = props;
	const [store] = useState(() => createBuilderStore(draft?.doc ?? doc));
	return (
		<BuilderContext value={store}>
			<Bench {...props} store={store} />
		</BuilderContext>
	);
}

/** A refused canvas in words: nodes and edges by their titles, not by position. */
function explainProblem(doc: Doc, { status, fields, detail }: Problem): string {
	if (status !== 400 || !Object.keys(fields).some((path) => path.startsWith("flow_data"))) return detail;
	const { byId, general } = placeProblems(doc, fields);
	const placed = [...byId].map(([id, message]) => `${getName(doc, id)}: ${message}`);
	return [...placed, ...general].join(" ");
}

type Overlay =
	| "add"
	| "save"
	| "copy"
	| "variables"
	| "versions"
	| { readonly connect: string }
	| { readonly several: string | null }
	| null;

const DRAFT_MS = 800;
const NARROW = "(max-width: 767px)";

function Bench({
	saved,
	doc: begun,
	draft,
	version,
	store,
}: WorkbenchProps & { store: ReturnType<typeof createBuilderStore> }) {
	const navigate = useNavigate();
	const may = useMay();
	const profile = useProfile();
	const times = useTimes();
	const target = useTarget();
	const doc = useStore(store, ({ history }) => history.now);
	const selection = useStore(store, (state) => state.selection);
	const settled = useSettledDoc();
	const [base, setBase] = useState(() => getText(begun));
	const [overlay, setOverlay] = useState<Overlay>(null);
	const isConnecting = typeof overlay === "object" && overlay !== null && "connect" in overlay;
	const isGrouping = typeof overlay === "object" && overlay !== null && "several" in overlay;
	const isSaving = overlay === "save" || overlay === "copy";
	const saveDialog = useLater(() => import("./save-dialog.tsx"), isSaving);
	const variables = useLater(() => import("./variables-dialog.tsx"), overlay === "variables");
	const groupRun = useLater(() => import("../fabrics/start.tsx"), isGrouping);
	const versions = useLater(() => import("./versions-dialog.tsx"), overlay === "versions");
	const [view, setView] = useState<"canvas" | "list">(() => (matchMedia(NARROW).matches ? "list" : "canvas"));
	const [dock, setDock] = useState(false);
	const [preview, setPreview] = useState<PreviewAnswer | null>(null);
	const [runId, setRunId] = useState<string | null>(null);
	const [draftShown, setDraftShown] = useState(draft !== null);
	const inspector = useRef<HTMLDivElement>(null);
	const clipboard = useRef<ReturnType<typeof copyNodes> | null>(null);
	const text = useMemo(() => getText(doc), [doc]);
	const isDirty = text !== base;
	const coming = useVersionToCome(settled, saved, isDirty);
	const canRun = may("execute_savedquery");
	const canSave = saved === null ? may("add_savedquery") : saved.can_edit;
	const { job, nodes, underWay } = useLiveRun(runId);
	const userId = profile?.id;
	const guard = useSaveGuard(saved, ({ id }) => callRoute(savedQueryRoutes.detail, { params: { id } }));

	// At the end the run itself tells the final states: frames may be missing, or stop at a failure.
	const ended = job !== undefined && !underWay ? job : undefined;
	useEffect(() => {
		if (ended === undefined) return store.setState({ runs: nodes });
		const classes = new Set(
			store
				.getState()
				.history.now.nodes.filter(({ type }) => type === "classNode")
				.map(({ id }) => id),
		);
		store.setState({ runs: runsOfStages(ended, classes) });
	}, [store, nodes, ended]);

	// Stores the draft in this browser shortly after the last change.
	useEffect(() => {
		if (userId === undefined || version !== null) return;
		const timer = setTimeout(() => {
			if (isDirty)
				void writeDraft(userId, saved?.id ?? null, { doc, base: saved?.version_string ?? null, at: Date.now() });
			else void dropDraft(userId, saved?.id ?? null);
		}, DRAFT_MS);
		return () => clearTimeout(timer);
	}, [doc, isDirty, saved, userId, version]);

	const settle = (query: SavedQuery, content: Doc) => {
		guard.accept(query);
		setBase(getText(content));
		setDraftShown(false);
		queries.setQueryData([savedQueryRoutes.detail.id, { params: { id: query.id } }], query);
		if (userId !== undefined) void dropDraft(userId, saved?.id ?? null);
		showToast(`Saved as ${query.version_string}`);
		if (saved?.id !== query.id || version !== null) void navigate({ to: "/builder/$id", params: { id: query.id } });
	};
	const save = useAction(
		async () => {
			if (saved === null) throw new Error("It has no name yet.");
			const body = getContent(doc);
			await guard.assertUnchanged(body);
			return callRoute(savedQueryRoutes.update, { params: { id: saved.id }, body });
		},
		{
			stale: ["saved_queries"],
			onSuccess: (query) => settle(query, doc),
		},
	);
	const begin = useAction(
		async (values: Record<string, string> | null): Promise<PipelineJob> => {
			if (target === undefined) throw new UserError(NO_TARGET);
			keepTarget(target.id);
			const asked = { controller_connection_id: target.id, variable_values: values };
			// An unchanged saved query runs as such and is logged; a changed canvas runs ad hoc.
			if (saved !== null && !isDirty && version === null) {
				return callRoute(backgroundRunRoutes.start, { params: { id: saved.id }, body: asked });
			}
			return callRoute(pipelineRoutes.create, { body: { ...getContent(doc), ...asked } });
		},
		{
			stale: ["pipelines"],
			onSuccess(started) {
				setRunId(started.id);
				setPreview(null);
				setDock(true);
			},
		},
	);
	const look = useAction(
		async (nodeId: string) => {
			if (target === undefined) throw new UserError(NO_TARGET);
			const body = {
				flow_data: writeCanvas(doc),
				variables: [...doc.variables],
				node_id: nodeId,
				connection_id: target.id,
			};
			return callRoute(planningRoutes.preview, { body });
		},
		{
			onSuccess(answer) {
				setPreview(answer);
				setDock(true);
			},
		},
	);
	const stop = useAction((id: string) => callRoute(pipelineRoutes.cancel, { params: { id } }), {
		stale: ["pipelines"],
		onSuccess: () => showToast("Stopping: requests under way finish, later stages do not start"),
	});
	const run = () => (doc.variables.length > 0 ? setOverlay("variables") : begin.mutate(null));
	const { edit, select, undo, redo } = store.getState();
	const [chosen] = selection;
	const onEdge = selection.size === 1 ? doc.edges.find(({ id }) => id === chosen) : undefined;
	const below = selection.size === 1 ? classAt(doc, onEdge?.source ?? chosen) : null;
	const add = ({ kind, data, wish }: Addition) => {
		const [after] = selection;
		const from = after !== undefined && doc.nodes.some(({ id }) => id === after) ? after : null;
		const { doc: next, id } =
			onEdge === undefined ? addNode(doc, kind, data, wish, from) : insertNode(doc, onEdge, kind, data, wish);
		edit(() => next);
		select([id]);
		store.setState({ reveal: { id } });
	};
	const follow = (relation: Follow) => {
		if (below === null) return;
		const { doc: next, id } = followRelation(doc, below.id, relation);
		edit(() => next);
		select([id]);
		store.setState({ reveal: { id } });
	};
	const removeChosen = () => {
		if (selection.size === 0) return;
		edit((now) => removeElements(now, selection));
		select([]);
		store.getState().say("Removed");
	};
	const copy = async () => {
		clipboard.current = copyNodes(doc, selection);
		await copyText(JSON.stringify(writeCanvas({ ...clipboard.current, rest: {} }), null, 2));
		showToast(`${selection.size === 1 ? "One node" : `${selection.size} nodes`} copied as JSON`);
	};
	const put = () => {
		if (clipboard.current === null) return;
		const { doc: next, ids } = pasteNodes(doc, clipboard.current);
		edit(() => next);
		select(ids);
	};
	const tidyUp = async () => {
		const { computeLayout } = await import("./model/layout.ts");
		const heights = new Map(
			[...document.querySelectorAll<HTMLElement>(".react-flow__node")].map((node) => [
				node.dataset.id,
				node.offsetHeight,
			]),
		);
		edit((now) =>
			moveNodes(
				now,
				computeLayout(now, (id) => ({ width: NODE_WIDTH, height: heights.get(id) ?? 80 })),
			),
		);
		store.setState(({ fits }) => ({ fits: fits + 1 }));
	};
	const saveNow = () => (saved === null || !canSave ? setOverlay("save") : save.mutate(undefined));
	useCommands([
		{ id: "builder.add", label: "Add a node", group: "Builder", keys: "a", run: () => setOverlay("add") },
		{
			id: "builder.run",
			label: "Run the query",
			group: "Builder",
			keys: "mod+enter",
			run: () => canRun && !underWay && run(),
		},
		{ id: "builder.save", label: "Save the query", group: "Builder", keys: "mod+s", run: saveNow },
		{ id: "builder.undo", label: "Undo", group: "Builder", keys: "mod+z", run: undo },
		{ id: "builder.redo", label: "Redo", group: "Builder", keys: "mod+shift+z", run: redo },
		{ id: "builder.redo2", label: "Redo", group: "Builder", keys: "mod+y", keysOnly: true, run: redo },
		{ id: "builder.tidy", label: "Tidy up", group: "Builder", keys: "shift+t", run: () => void tidyUp() },
		{
			id: "builder.view",
			label: "Canvas or list",
			group: "Builder",
			keys: "v",
			run: () => setView((now) => (now === "canvas" ? "list" : "canvas")),
		},
		{
			id: "builder.copy",
			label: "Copy selection",
			group: "Builder",
			keys: "mod+c",
			keysOnly: true,
			run: () => selection.size > 0 && void copy(),
		},
		{ id: "builder.paste", label: "Paste nodes", group: "Builder", keys: "mod+v", keysOnly: true, run: put },
	]);
	const failure = begin.error ?? look.error ?? save.error ?? stop.error;
	const problem = useLater(() => import("../../ui/save-problem.tsx"), failure !== null);
	const isRefused = findProblem(failure).status === 400;
	const closeFailure = () => {
		for (const each of [begin, look, save, stop]) each.reset();
	};
	const soFar = Object.values(nodes).reduce((sum, { rows }) => sum + (rows ?? 0), 0);
	const open = () => inspector.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
	return (
		<div className="flex h-full min-h-0 flex-col">
			<BuilderHead
				{...{ saved, version, isDirty, coming, view, underWay, canRun, canSave }}
				canUndo={store.getState().history.past.length > 0}
				canRedo={store.getState().history.future.length > 0}
				saving={save.isPending}
				starting={begin.isPending}
				call={() => ({
					route: pipelineRoutes.create,
					body: { ...getContent(doc), controller_connection_id: target?.id ?? "" },
				})}
				onView={setView}
				onTidy={() => void tidyUp()}
				onSave={saveNow}
				onDetails={() => setOverlay("save")}
				onCopy={() => setOverlay("copy")}
				onVersions={() => setOverlay("versions")}
				onRun={run}
				onSeveral={(group) => setOverlay({ several: group })}
				onStop={() => runId && stop.mutate(runId)}
			/>
			{draftShown && draft && isDirty && (
				<div className="border-line border-b px-5 py-2">
					<Banner
						tone="info"
						title={`Unsaved draft from ${times.dateTime(draft.at)} restored`}
						detail={
							draft.base !== null && saved && draft.base !== saved.version_string
								? `It is based on ${draft.base}; ${saved.version_string} has been saved since.`
								: ""
						}
						action={
							<>
								<Button
									onClick={() => {
										edit(() => begun);
										setDraftShown(false);
									}}
								>
									Discard it
								</Button>
								<TextButton onClick={() => setDraftShown(false)}>Keep it</TextButton>
							</>
						}
					/>
				</div>
			)}
			{failure !== null && (
				<div className="border-line border-b px-5 py-2">
					{isRefused ? (
						<Banner
							tone="bad"
							title="Can't run this query."
							detail={explainProblem(doc, findProblem(failure))}
							action={<TextButton onClick={closeFailure}>Close</TextButton>}
						/>
					) : (
						<div className="flex flex-wrap items-center gap-2">
							<div className="min-w-0 flex-1">
								{problem === null ? (
									<ProblemBanner error={failure} />
								) : (
									<problem.SaveProblem error={failure} onSaveMine={() => save.mutate(undefined)} />
								)}
							</div>
							<TextButton onClick={closeFailure}>Close</TextButton>
						</div>
					)}
				</div>
			)}
			<div className="flex min-h-0 flex-1 max-lg:flex-col">
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">
					<div className="min-h-0 flex-1">
						{view === "canvas" ? (
							<CanvasView onConnect={(id) => setOverlay({ connect: id })} onRemove={removeChosen} onOpen={open}>
								<Button keys="a" onClick={() => setOverlay("add")}>
									+ Add node
								</Button>
							</CanvasView>
						) : (
							<div className="flex h-full flex-col">
								<div className="px-3 pt-3">
									<Button keys="a" onClick={() => setOverlay("add")}>
										+ Add node
									</Button>
								</div>
								<div className="min-h-0 flex-1">
									<ListView onConnect={(id) => setOverlay({ connect: id })} onRemove={removeChosen} onOpen={open} />
								</div>
							</div>
						)}
					</div>
					{dock && (
						<Dock
							{...{ job, soFar, preview }}
							scope={saved?.id ?? "new"}
							onClose={() => {
								setDock(false);
								setPreview(null);
							}}
						/>
					)}
				</div>
				<div
					ref={inspector}
					className="flex min-h-0 shrink-0 flex-col border-line bg-surface max-lg:max-h-[44%] max-lg:border-t lg:w-72 lg:border-l [&>aside]:min-h-0 [&>aside]:flex-1"
				>
					<Inspector
						settled={settled}
						canRun={canRun}
						onRunTo={(id) => look.mutate(id)}
						onConnect={(id) => setOverlay({ connect: id })}
						onRemove={removeChosen}
					/>
				</div>
			</div>
			<Boundary isNoticed resetKey={JSON.stringify(overlay)}>
				{overlay === "add" && (
					<AddNodeDialog
						parent={below === null ? null : String(below.data.className)}
						onAdd={add}
						onFollow={follow}
						onClose={() => setOverlay(null)}
					/>
				)}
				{isConnecting && <ConnectDialog from={overlay.connect} onClose={() => setOverlay(null)} />}
				{isGrouping && groupRun && (
					<groupRun.StartGroupRun
						query={saved !== null && !isDirty && version === null ? saved.id : getContent(doc)}
						group={overlay.several}
						onStarted={({ id }) => void navigate({ to: "/runs/groups/$id", params: { id } })}
						onClose={() => setOverlay(null)}
					/>
				)}
				{isSaving && saveDialog && (
					<saveDialog.SaveDialog
						saved={overlay === "copy" || !canSave ? null : saved}
						guard={guard}
						content={getContent(doc)}
						coming={coming}
						onSaved={(query) => settle(query, doc)}
						onClose={() => setOverlay(null)}
					/>
				)}
				{overlay === "variables" && variables && (
					<variables.VariablesDialog
						variables={doc.variables}
						onRun={(values) => begin.mutate(values)}
						onClose={() => setOverlay(null)}
					/>
				)}
				{overlay === "versions" && saved && versions && (
					<versions.VersionsDialog
						saved={saved}
						onOpen={(chosen) =>
							void navigate({ to: "/builder/$id", params: { id: saved.id }, search: { version: chosen } })
						}
						onRestored={(query) =>
							void navigate({ to: "/builder/$id", params: { id: query.id }, reloadDocument: false }).then(() =>
								location.reload(),
							)
						}
						onClose={() => setOverlay(null)}
					/>
				)}
			</Boundary>
		</div>
	);
}
