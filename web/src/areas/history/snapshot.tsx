/** One snapshot: when and how it was captured, its label, and its rows as they were. */
import { getRouteApi } from "@tanstack/react-router";
import type { Snapshot } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { CalendarDays, StickyNote, Tag } from "lucide-react";
import { useMemo, useState } from "react";
import { formatBytes, formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import type { Times } from "../../platform/time.ts";
import { client } from "../../platform/weft.ts";
import { nameFile } from "../../platform/workbook.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { OpenWindowBanners } from "../../ui/open-window-banner.tsx";
import { PageHead } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { Missing } from "../../ui/unloaded.tsx";
import { GridBody } from "../runs/grid/grid.tsx";
import { readSort, writeSort } from "../runs/grid/sort.ts";
import { useGrid } from "../runs/grid/use-grid.ts";
import { AnnotateDialog } from "./annotate.tsx";

const route = getRouteApi("/app/time-machine/snapshots/$id");
const ROWS = "result_data";
const CRUMBS = [{ label: "Snapshots", to: "/time-machine" as const }];

/** The name of a file with the rows of a snapshot. */
function nameRows({ query_name, class_name, controller_connection_name, executed_at }: Snapshot, times: Times): string {
	const fabrics = controller_connection_name === "" ? [] : [controller_connection_name];
	return nameFile(query_name || class_name || "rows", fabrics, times.getDay(executed_at));
}

export function SnapshotPage() {
	const { id } = route.useParams();
	const [{ q = "", sort, group = null }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const times = useTimes();
	// The worker reads the whole document: the page itself never has its rows.
	const source = useMemo(
		() => ({
			key: id,
			member: ROWS,
			request: () => client.getRequest(timeMachineRoutes.detail, { params: { id } }),
		}),
		[id],
	);
	const grid = useGrid(source);
	const [changed, setChanged] = useState<Snapshot | null>(null);
	const read = grid.state.kind === "ready" ? (grid.state.about as Snapshot) : null;
	const snapshot = changed?.id === id ? changed : read;
	if (grid.state.kind === "failed" && grid.state.isMissing) {
		return <Missing what="Snapshot" crumbs={CRUMBS} gone="Old snapshots are deleted after the retention period." />;
	}
	return (
		<div className="flex h-full min-h-0 flex-col">
			{snapshot === null ? (
				<PageHead ruled title="Snapshot" crumbs={CRUMBS} />
			) : (
				<Head snapshot={snapshot} onChanged={setChanged} />
			)}
			<OpenWindowBanners connections={[snapshot?.controller_connection_id]} className="px-5 py-2 max-sm:px-4" />
			<div className="min-h-0 flex-1 overflow-auto">
				<GridBody
					{...grid}
					id={id}
					scope={snapshot?.saved_query_id ?? snapshot?.class_name ?? "snapshot"}
					name={snapshot ? nameRows(snapshot, times) : "rows"}
					origin={{
						query: snapshot?.saved_query_id ?? null,
						controller: snapshot?.controller_connection_id ?? null,
					}}
					filter={q}
					sort={readSort(sort)}
					group={group}
					onFilter={(text) => set({ q: text || undefined })}
					onSort={(next) => set({ sort: writeSort(next) })}
					onGroup={(next) => set({ group: next ?? undefined })}
				/>
			</div>
		</div>
	);
}

function Head({ snapshot, onChanged }: { snapshot: Snapshot; onChanged(snapshot: Snapshot): void }) {
	const { id, saved_query_id, query_name, executed_at, label, annotation } = snapshot;
	const times = useTimes();
	const may = useMay();
	const [noting, setNoting] = useState(false);
	const when = `${times.date(executed_at)} ${times.time(executed_at, true)}`;
	return (
		<>
			<PageHead
				ruled
				title={`Snapshot of ${when}`}
				crumbs={[
					{ label: "Snapshots", to: "/time-machine" },
					...(saved_query_id
						? [{ label: query_name, to: "/time-machine/$queryId" as const, params: { queryId: saved_query_id } }]
						: []),
				]}
				facts={
					<>
						{label && (
							<Pill tone="violet" icon={Tag}>
								{label}
							</Pill>
						)}
						<span className="num">{formatPlural(snapshot.result_count, "object")}</span>
						<span className="num">{formatBytes(snapshot.result_size_bytes)}</span>
						<span>{snapshot.controller_connection_name}</span>
						{snapshot.query_version && <span className="mono">{snapshot.query_version}</span>}
						<span>
							{snapshot.origin === "client"
								? "captured by a client"
								: snapshot.execution_type === "scheduled"
									? "on schedule"
									: "manual"}{" "}
							by {snapshot.executed_by}
						</span>
						<span>{times.zone}</span>
						{annotation && <span className="w-full max-w-[80ch]">{annotation}</span>}
					</>
				}
				actions={
					<>
						{may("change_snapshot") && (
							<Button icon={StickyNote} onClick={() => setNoting(true)}>
								Label
							</Button>
						)}
						<CopyAs call={() => ({ route: timeMachineRoutes.detail, params: { id } })} />
						{saved_query_id && (
							<ButtonLink
								variant="primary"
								icon={CalendarDays}
								to="/time-machine/$queryId"
								params={{ queryId: saved_query_id }}
								search={{ date: times.getDay(executed_at), to: id }}
							>
								Show in history
							</ButtonLink>
						)}
					</>
				}
			/>
			{noting && (
				<AnnotateDialog snapshot={snapshot} when={when} onSaved={onChanged} onClose={() => setNoting(false)} />
			)}
		</>
	);
}
