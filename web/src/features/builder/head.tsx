/** The head of the builder: which query and version it is, and its verbs. */
import { useNavigate } from "@tanstack/react-router";
import type { SavedQuery, VersionAnswer } from "@weft/contracts";
import {
	CalendarClock,
	CopyPlus,
	Ellipsis,
	GitBranch,
	History,
	LayoutGrid,
	List,
	Pencil,
	Redo2,
	Save,
	Square,
	Undo2,
	Workflow,
} from "lucide-react";
import { useMay } from "../../platform/profile.ts";
import type { ApiCall } from "../../platform/snippets.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { useLater } from "../../ui/later.ts";
import { Menu } from "../../ui/menu.tsx";
import { PageHead } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { RunButton } from "../runs/run-button.tsx";
import { useBuilderStore } from "./store.ts";

interface HeadProps {
	readonly saved: SavedQuery | null;
	readonly version: string | null;
	readonly isDirty: boolean;
	readonly coming: VersionAnswer | undefined;
	readonly view: "canvas" | "list";
	readonly underWay: boolean;
	readonly canRun: boolean;
	readonly canSave: boolean;
	readonly canUndo: boolean;
	readonly canRedo: boolean;
	readonly saving: boolean;
	readonly starting: boolean;
	call(): ApiCall;
	onView(view: "canvas" | "list"): void;
	onTidy(): void;
	onSave(): void;
	onDetails(): void;
	onCopy(): void;
	onVersions(): void;
	onRun(): void;
	/** On the group with this id, or on controllers that are chosen next. */
	onSeveral(group: string | null): void;
	onStop(): void;
}

export function BuilderHead(props: HeadProps) {
	const { saved, view, underWay, canRun, canSave, canUndo, canRedo, saving, starting, call } = props;
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
						label: "Time Machine",
						icon: History,
						run: () => void navigate({ to: "/time-machine/$queryId", params: { queryId: id } }),
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
					<Button
						icon={view === "canvas" ? List : Workflow}
						onClick={() => props.onView(view === "canvas" ? "list" : "canvas")}
					>
						{view === "canvas" ? "List" : "Canvas"}
					</Button>
					{view === "canvas" && (
						<Button icon={LayoutGrid} onClick={props.onTidy}>
							Tidy up
						</Button>
					)}
					<CopyAs call={call} />
					<Menu
						trigger={<IconButton label="More about this query" icon={Ellipsis} />}
						groups={[
							[
								...(canSave
									? [{ label: saved ? "Name and settings" : "Save as", icon: Pencil, run: props.onDetails }]
									: []),
								...(saved ? [{ label: "Save a copy", icon: CopyPlus, run: props.onCopy }] : []),
								...(saved ? [{ label: "Versions", icon: GitBranch, run: props.onVersions }] : []),
							],
							saved ? places : [],
						]}
					/>
					<Button icon={Save} busy={saving} onClick={props.onSave}>
						Save
					</Button>
					{canRun &&
						(underWay ? (
							<Button icon={Square} onClick={props.onStop}>
								Stop
							</Button>
						) : (
							<RunButton busy={starting} keys="mod+enter" onRun={props.onRun} onSeveral={props.onSeveral} />
						))}
				</>
			}
		/>
	);
}

function Facts({ saved, version, isDirty, coming, canSave }: HeadProps) {
	const checks = useLater(() => import("../checks/of-query.tsx"), saved !== null);
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
			{saved && !canSave && <Pill>Somebody else's: saving makes a copy</Pill>}
			{saved?.enable_time_machine && <Pill tone="violet">Snapshots on</Pill>}
			{saved && checks && <checks.ChecksOfQuery id={saved.id} name={saved.name} />}
		</>
	);
}
