/** The head of the builder: which query and version it is, and its verbs. */
import { useNavigate } from "@tanstack/react-router";
import type { SavedQuery, VersionAnswer } from "@weft/contracts";
import { pipelineRoutes } from "@weft/contracts/browser";
import {
	CalendarClock,
	CopyPlus,
	Ellipsis,
	GitBranch,
	GitCompareArrows,
	History,
	LayoutGrid,
	List,
	Pencil,
	Redo2,
	Save as SaveIcon,
	Square,
	Undo2,
	Workflow,
} from "lucide-react";
import { useMay } from "../../../platform/profile.ts";
import { useTarget } from "../../../platform/target.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { useLater } from "../../../ui/later.ts";
import { Menu } from "../../../ui/menu.tsx";
import { PageHead } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { RunButton } from "../../runs/run-button.tsx";
import { getContent } from "./model/canvas.ts";
import type { Overlay } from "./overlays.tsx";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";
import type { Run } from "./use-run.ts";
import type { Save } from "./use-save.ts";

interface HeadProps {
	readonly saved: SavedQuery | null;
	readonly version: string | null;
	readonly coming: VersionAnswer | undefined;
	readonly view: "canvas" | "list";
	readonly canRun: boolean;
	readonly save: Save;
	readonly run: Run;
	onView(): void;
	onTidy(): void;
	onSave(): void;
	onRun(): void;
	/** @param group null: several fabrics are chosen next */
	onSeveral(group: string | null): void;
	/** Opens a dialog. */
	onOpen(overlay: Overlay): void;
}

export function BuilderHead(props: HeadProps) {
	const { saved, view, canRun, save, run, onOpen } = props;
	const canUndo = useBuilder(({ history }) => history.past.length > 0);
	const canRedo = useBuilder(({ history }) => history.future.length > 0);
	const doc = useDoc();
	const target = useTarget();
	const may = useMay();
	const navigate = useNavigate();
	const id = saved?.id ?? "";
	const places = [
		...(may("add_scheduledtask")
			? [
					{
						label: "Schedule",
						icon: CalendarClock,
						run: () => void navigate({ to: "/schedules", search: { new: id } }),
					},
				]
			: []),
		...(may("view_snapshot")
			? [
					{
						label: "Snapshots",
						icon: History,
						run: () => void navigate({ to: "/time-machine/$queryId", params: { queryId: id } }),
					},
					{
						label: "Compare fabrics",
						icon: GitCompareArrows,
						run: () => void navigate({ to: "/time-machine/fabrics", search: { query: id } }),
					},
				]
			: []),
	];
	const { undo, redo } = useBuilderStore().getState();
	const crumbs = [
		{ label: "Library", to: "/library" as const },
		...(saved?.category_name ? [{ label: saved.category_name }] : []),
	];
	return (
		<PageHead
			ruled
			title={saved?.name ?? "New query"}
			crumbs={crumbs}
			facts={<Facts {...props} />}
			actions={
				<>
					<IconButton label="Undo" keys="mod+z" icon={Undo2} disabled={!canUndo} onClick={undo} />
					<IconButton label="Redo" keys="mod+shift+z" icon={Redo2} disabled={!canRedo} onClick={redo} />
					<Button icon={view === "canvas" ? List : Workflow} onClick={props.onView}>
						{view === "canvas" ? "List" : "Canvas"}
					</Button>
					{view === "canvas" && (
						<Button icon={LayoutGrid} onClick={props.onTidy}>
							Tidy up
						</Button>
					)}
					<CopyAs
						call={() => ({
							route: pipelineRoutes.create,
							body: { ...getContent(doc), controller_connection_id: target?.id ?? "" },
						})}
					/>
					<Menu
						trigger={<IconButton label="More about this query" icon={Ellipsis} />}
						groups={[
							[
								...(save.canSave
									? [{ label: saved ? "Name and settings" : "Save as", icon: Pencil, run: () => onOpen("save") }]
									: []),
								...(saved ? [{ label: "Save a copy", icon: CopyPlus, run: () => onOpen("copy") }] : []),
								...(saved ? [{ label: "Versions", icon: GitBranch, run: () => onOpen("versions") }] : []),
							],
							saved ? places : [],
						]}
					/>
					<Button icon={SaveIcon} busy={save.action.isPending} onClick={props.onSave}>
						Save
					</Button>
					{canRun &&
						(run.underWay ? (
							<Button icon={Square} onClick={run.stopNow}>
								Stop
							</Button>
						) : (
							<RunButton busy={run.begin.isPending} keys="mod+enter" onRun={props.onRun} onSeveral={props.onSeveral} />
						))}
				</>
			}
		/>
	);
}

function Facts({ saved, version, coming, save: { isDirty, canSave } }: HeadProps) {
	const may = useMay();
	const checks = useLater(() => import("../../checks/of-query.tsx"), saved !== null);
	const trend = useLater(() => import("../../history/trend-of-query.tsx"), saved !== null);
	return (
		<>
			{saved && <span className="mono">{version ?? saved.version_string}</span>}
			{version !== null && <Pill tone="warn">An old version</Pill>}
			{saved === null && <span>not saved yet</span>}
			{isDirty && saved && (
				<span>
					unsaved changes
					{coming && coming.level !== "none" && (
						<>
							, saving makes <span className="mono">{coming.version}</span>
						</>
					)}
				</span>
			)}
			{saved && !canSave && <Pill>Query of another person: saving makes a copy</Pill>}
			{saved?.enable_time_machine && <Pill tone="violet">Snapshots on</Pill>}
			{saved && checks && <checks.ChecksOfQuery id={saved.id} name={saved.name} />}
			{saved && trend && may("view_snapshot") && <trend.TrendOfQuery id={saved.id} name={saved.name} />}
		</>
	);
}
