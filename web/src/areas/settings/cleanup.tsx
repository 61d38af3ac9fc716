/** What retention rules would delete, before they do; and deleting it now. */
import type { SnapshotSettings } from "@weft/contracts";
import { savedQueryRoutes, timeMachineRoutes } from "@weft/contracts/browser";
import { Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { type AnswerOf, callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatBytes, formatCount, formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";

type Preview = AnswerOf<typeof timeMachineRoutes.cleanupPreview>;
type Expired = Preview["snapshots"][number];

const PAUSE_MS = 300;
const SIZE = 25;

interface CleanupProps {
	/** As they are in the form, saved or not. */
	readonly rules: SnapshotSettings;
	readonly dirty: boolean;
}

export function Cleanup({ rules, dirty }: CleanupProps) {
	const may = useMay();
	const [query, setQuery] = useState("");
	const [annotated, setAnnotated] = useState(false);
	const [asking, setAsking] = useState(false);
	const { retention_policy, retention_days, retention_count } = useSettledRules(rules);
	const isKnown = ![retention_days, retention_count].some(Number.isNaN);
	const scope = { query_id: query === "" ? null : query, include_annotated: annotated };
	const body = { ...scope, retention_policy, retention_days, retention_count };
	const answer = useAnswer(timeMachineRoutes.cleanupPreview, { body }, { enabled: isKnown, keepPrevious: true });
	const queries = useAnswer(
		savedQueryRoutes.list,
		{ query: { my_queries: "true", page_size: "200", ordering: "name" } },
		{ enabled: may("view_savedquery"), staleTime: 60_000 },
	);
	const clean = useAction(() => callRoute(timeMachineRoutes.cleanup, { body: scope }), {
		stale: ["time_machine"],
		onSuccess: ({ message }) => showToast(message),
	});
	const chosen = queries.data?.results.find(({ id }) => id === query);
	const expired = answer.data?.count ?? 0;
	return (
		<Panel
			title="What would be deleted"
			aside={
				<>
					<CopyAs call={() => ({ route: timeMachineRoutes.cleanupPreview, body })} />
					{may("delete_snapshot") && (
						<Button
							variant="danger"
							icon={Trash2}
							disabled={dirty || expired === 0 || answer.isPlaceholderData}
							onClick={() => setAsking(true)}
						>
							Delete now
						</Button>
					)}
				</>
			}
		>
			<div className="flex flex-wrap items-end gap-x-6 gap-y-2 border-line border-b p-3">
				<SelectField
					label="Of the query"
					className="min-w-56"
					value={query}
					options={[
						{ value: "", label: "All my queries" },
						...(queries.data?.results.map(({ id, name }) => ({ value: id, label: name })) ?? []),
					]}
					onChange={(event) => setQuery(event.target.value)}
				/>
				<CheckField
					label="Also with a label or an annotation"
					className="pb-1"
					checked={annotated}
					onChange={(event) => setAnnotated(event.target.checked)}
				/>
			</div>
			{dirty && (
				<p role="status" className="m-0 border-line border-b px-3 py-2 text-warn">
					By the rules as they are in the form. Save them before you delete.
				</p>
			)}
			<Loaded answer={answer} lines={4}>
				{(preview) =>
					retention_policy === "unlimited" ? (
						<Empty>Nothing expires: snapshots are kept without limit.</Empty>
					) : preview.count === 0 ? (
						<Empty>No snapshot has expired.</Empty>
					) : (
						<ExpiredList key={JSON.stringify(body)} preview={preview} />
					)
				}
			</Loaded>
			<Confirm
				open={asking}
				title={`Delete ${formatPlural(expired, "snapshot")}?`}
				verb={`Delete ${formatPlural(expired, "snapshot")}`}
				onConfirm={() => clean.mutateAsync(undefined)}
				onClose={() => setAsking(false)}
			>
				<p className="m-0">
					{chosen ? `They are of ${chosen.name}. ` : "They are of all your queries. "}
					{annotated
						? "Those with a label or an annotation are deleted too. "
						: "Those with a label or an annotation stay. "}
					This cannot be undone.
				</p>
			</Confirm>
		</Panel>
	);
}

function ExpiredList({ preview: { count: all, has_more, snapshots } }: { preview: Preview }) {
	const times = useTimes();
	const [page, setPage] = useState(1);
	const size = snapshots.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
	const names = new Set(snapshots.map(({ query_name }) => query_name)).size;
	const columns: Column<Expired>[] = [
		{
			key: "query",
			head: "Query",
			className: "w-1/2",
			cell: ({ query_name }) => (
				<span className="block truncate" title={query_name}>
					{query_name}
				</span>
			),
		},
		{
			key: "at",
			head: "Captured",
			cell: ({ executed_at }) => <span className="num whitespace-nowrap">{times.dateTime(executed_at)}</span>,
		},
		{ key: "rows", head: "Rows", align: "right", cell: ({ result_count }) => formatCount(result_count) },
		{ key: "size", head: "Size", align: "right", cell: ({ size_bytes }) => formatBytes(size_bytes) },
	];
	return (
		<>
			<p role="status" className="m-0 px-3 py-2">
				<span className="font-semibold">{formatPlural(all, "snapshot")}</span>
				{has_more
					? `, of which the oldest ${formatCount(snapshots.length)} are listed: ${formatBytes(size)}`
					: ` of ${formatPlural(names, "query", "queries")}, ${formatBytes(size)}`}
			</p>
			<Table
				label="Expired snapshots"
				columns={columns}
				rows={snapshots.slice((page - 1) * SIZE, page * SIZE)}
				getKey={({ id }) => id}
			/>
			<Pager page={page} pageSize={SIZE} count={snapshots.length} onPage={setPage} />
		</>
	);
}

/** The rules a moment after the last edit, so that not each key press asks the service. */
function useSettledRules(rules: SnapshotSettings): SnapshotSettings {
	const [settled, setSettled] = useState(rules);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(rules), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [rules]);
	return settled;
}
