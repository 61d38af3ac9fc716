/** Saved queries in a table, with what can be done with each. */
import { Link, useNavigate } from "@tanstack/react-router";
import type { SavedQuerySummary } from "@weft/contracts";
import { backgroundRunRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import {
	CalendarClock,
	ChartLine,
	CopyPlus,
	Ellipsis,
	History,
	Layers,
	ListChecks,
	Play,
	Star,
	Trash2,
} from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { UserError } from "../../../platform/failures.ts";
import { formatCount, formatPerson } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useMay, useProfile, useTimes } from "../../../platform/profile.ts";
import { keepTarget, NO_TARGET, useTarget } from "../../../platform/target.ts";
import { IconButton } from "../../../ui/button.tsx";
import { joinClasses } from "../../../ui/classes.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { showProblem, showToast } from "../../../ui/toast.tsx";

export function QueryTable({ queries }: { queries: readonly SavedQuerySummary[] }) {
	const times = useTimes();
	const profile = useProfile();
	const [removing, setRemoving] = useState<SavedQuerySummary | null>(null);
	const columns: Column<SavedQuerySummary>[] = [
		{
			key: "star",
			head: <span className="sr-only">Favorite</span>,
			className: "w-8 pr-0!",
			cell: (query) => <Favorite query={query} />,
		},
		{
			key: "name",
			head: "Query",
			className: "w-1/2",
			cell: ({ id, name, description, tags_list, is_public, is_template, enable_time_machine }) => (
				<span className="flex min-w-0 flex-col py-1">
					<span className="flex min-w-0 items-center gap-2">
						<Link to="/builder/$id" params={{ id }} className="truncate rounded-cell font-medium hover:underline">
							{name}
						</Link>
						{is_template && <Pill tone="accent">Template</Pill>}
						{is_public && <Pill>Public</Pill>}
						{enable_time_machine && (
							<Link to="/time-machine/$queryId" params={{ queryId: id }} title="Snapshots are on: open them">
								<Pill tone="violet" icon={History}>
									Snapshots
								</Pill>
							</Link>
						)}
						{tags_list.slice(0, 3).map((tag) => (
							<span key={tag} className="text-muted text-xs">
								#{tag}
							</span>
						))}
					</span>
					{description && (
						<span className="truncate text-muted text-xs" title={description}>
							{description}
						</span>
					)}
				</span>
			),
		},
		{
			key: "category",
			head: "Category",
			cell: ({ category_name }) => <span className="text-muted">{category_name}</span>,
		},
		{ key: "version", head: "Version", cell: ({ version_string }) => <span className="mono">{version_string}</span> },
		{ key: "owner", head: "Owner", cell: ({ created_by }) => formatPerson(created_by) },
		{ key: "runs", head: "Runs", align: "right", cell: ({ execution_count }) => formatCount(execution_count) },
		{
			key: "last",
			head: "Last run",
			align: "right",
			cell: ({ last_executed_at }) => (
				<span className="whitespace-nowrap text-muted">
					{last_executed_at ? times.relative(last_executed_at) : "never"}
				</span>
			),
		},
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (query) => (
				<Verbs
					query={query}
					mine={query.created_by.id === profile?.id || profile?.is_admin === true}
					onRemove={() => setRemoving(query)}
				/>
			),
		},
	];
	const remove = useAction((id: string) => callRoute(savedQueryRoutes.remove, { params: { id } }), {
		stale: ["saved_queries"],
	});
	return (
		<>
			<Table label="Queries" columns={columns} rows={queries} getKey={({ id }) => id} />
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb="Delete the query"
				onConfirm={async () => removing && remove.mutateAsync(removing.id)}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">
					This also deletes its versions. Schedules that use it fail at their next run. Runs are kept until they expire.
				</p>
			</Confirm>
		</>
	);
}

function Favorite({ query: { id, name, is_favorite } }: { query: SavedQuerySummary }) {
	const [shown, setShown] = useState<boolean | null>(null);
	const turn = useAction(() => callRoute(savedQueryRoutes.favorite, { params: { id } }), {
		stale: ["saved_queries"],
		onMutate: () => setShown(!is_favorite),
		onSettled: () => setShown(null),
		onError: (error) => showProblem(error),
	});
	const on = shown ?? is_favorite;
	return (
		<button
			type="button"
			aria-pressed={on}
			aria-label={`Favorite: ${name}`}
			className={joinClasses(
				"grid size-6 place-items-center rounded-cell hover:bg-line",
				on ? "text-warn" : "text-muted",
			)}
			onClick={() => turn.mutate()}
		>
			<Star size={14} fill={on ? "currentColor" : "none"} aria-hidden="true" />
		</button>
	);
}

function Verbs({ query: { id, name }, mine, onRemove }: { query: SavedQuerySummary; mine: boolean; onRemove(): void }) {
	const may = useMay();
	const target = useTarget();
	const navigate = useNavigate();
	const run = useAction(
		async () => {
			if (target === undefined) throw new UserError(NO_TARGET);
			keepTarget(target.id);
			return callRoute(backgroundRunRoutes.start, { params: { id }, body: { controller_connection_id: target.id } });
		},
		{
			stale: ["pipelines"],
			onSuccess: (job) => void navigate({ to: "/runs/$id", params: { id: job.id } }),
			// What it asks before it runs is asked in the builder.
			onError: (error) =>
				findProblem(error).status === 400
					? void navigate({ to: "/builder/$id", params: { id } })
					: showProblem(error, name),
		},
	);
	const copy = useAction(() => callRoute(savedQueryRoutes.duplicate, { params: { id } }), {
		stale: ["saved_queries"],
		onSuccess: (made) => showToast(`${made.name} is yours`),
		onError: (error) => showProblem(error),
	});
	return (
		<span className="inline-flex items-center gap-1">
			{may("execute_savedquery") && (
				<IconButton
					variant="ghost"
					label={target ? `Run ${name} on ${target.name}` : `Run ${name}`}
					icon={Play}
					busy={run.isPending}
					onClick={() => run.mutate()}
				/>
			)}
			<Menu
				trigger={<IconButton variant="ghost" label={`More for ${name}`} icon={Ellipsis} />}
				groups={[
					[
						{
							label: "Snapshots",
							icon: History,
							run: () => void navigate({ to: "/time-machine/$queryId", params: { queryId: id } }),
						},
						...(may("view_snapshot")
							? [
									{
										label: "Trends",
										icon: ChartLine,
										run: () => void navigate({ to: "/time-machine/$queryId/trends", params: { queryId: id } }),
									},
								]
							: []),
						...(may("view_check")
							? [
									{
										label: "Checks",
										icon: ListChecks,
										run: () => void navigate({ to: "/checks", search: { query: id } }),
									},
								]
							: []),
						...(may("add_scheduledtask")
							? [
									{
										label: "Schedule",
										icon: CalendarClock,
										run: () => void navigate({ to: "/schedules", search: { new: id } }),
									},
								]
							: []),
						...(may("execute_savedquery")
							? [
									{
										label: "Run on several fabrics",
										icon: Layers,
										run: () => void navigate({ to: "/runs/groups", search: { new: id } }),
									},
								]
							: []),
						...(may("add_savedquery") ? [{ label: "Duplicate", icon: CopyPlus, run: () => copy.mutate() }] : []),
					],
					mine && may("delete_savedquery") ? [{ label: "Delete", icon: Trash2, danger: true, run: onRemove }] : [],
				]}
			/>
		</span>
	);
}
