/** Change plans: the queries and checks of change windows. */
import { getRouteApi } from "@tanstack/react-router";
import type { ChangePlan } from "@weft/contracts";
import { changePlanRoutes } from "@weft/contracts/browser";
import { Ellipsis, FlaskConical, ListChecks, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Empty } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { WindowsFrame } from "./frame.tsx";
import { PlanForm } from "./plan-form.tsx";
import { PlanPreviewDialog } from "./plan-preview.tsx";
import { ShippedPlans } from "./shipped-plans.tsx";

const route = getRouteApi("/app/change-plans");
const SIZE = 50;

export function PlansPage() {
	const navigate = route.useNavigate();
	const [{ page = "1", new: making, edit }, set] = useSearchState(route.useSearch(), navigate, { replace: true });
	const may = useMay();
	const canAdd = may("add_changeplan");
	const answer = useAnswer(changePlanRoutes.list, { query: { page, page_size: String(SIZE) } }, { keepPrevious: true });
	const begin = () => set({ new: "1" });
	useCommands(
		canAdd ? [{ id: "plans.new", label: "New change plan", group: "Change windows", keys: "c", run: begin }] : [],
	);
	const add = canAdd && (
		<Button variant="primary" icon={Plus} onClick={begin}>
			New plan
		</Button>
	);
	const edited = answer.data?.results.find(({ id }) => id === edit);
	return (
		<WindowsFrame title="Change plans" facts={answer.data && formatPlural(answer.data.count, "plan")} actions={add}>
			<div className="flex flex-col gap-4">
				<PagedList
					answer={answer}
					lines={4}
					page={Number(page)}
					pageSize={SIZE}
					empty={
						<Empty icon={ListChecks} action={add}>
							A plan names the queries that are compared before and after a change, and the checks that must hold.
						</Empty>
					}
					onPage={(to) => set({ page: String(to) })}
				>
					{(rows) => <PlanTable rows={rows} onEdit={(id) => set({ edit: id })} />}
				</PagedList>
				{canAdd && <ShippedPlans />}
			</div>
			{making !== undefined && (
				<PlanForm plan={null} onSaved={() => set({ new: undefined })} onClose={() => set({ new: undefined })} />
			)}
			{edited !== undefined && (
				<PlanForm plan={edited} onSaved={() => set({ edit: undefined })} onClose={() => set({ edit: undefined })} />
			)}
		</WindowsFrame>
	);
}

function PlanTable({ rows, onEdit }: { rows: readonly ChangePlan[]; onEdit(id: string): void }) {
	const times = useTimes();
	const [removing, setRemoving] = useState<ChangePlan | null>(null);
	const [tried, setTried] = useState<ChangePlan | null>(null);
	const remove = useAction((id: string) => callRoute(changePlanRoutes.remove, { params: { id } }), {
		stale: ["change_plans"],
	});
	const columns: Column<ChangePlan>[] = [
		{
			key: "name",
			head: "Plan",
			className: "w-1/3",
			cell: ({ id, name, description }) => (
				<span className="flex min-w-0 flex-col items-start py-1">
					<button
						type="button"
						className="max-w-full truncate rounded-cell font-medium hover:underline"
						onClick={() => onEdit(id)}
					>
						{name}
					</button>
					<span className="max-w-full truncate text-muted text-xs">{description}</span>
				</span>
			),
		},
		{
			key: "items",
			head: "Items",
			cell: ({ items }) => items.map(({ name }) => (typeof name === "string" ? name : "hidden")).join(", "),
		},
		{ key: "revision", head: "Revision", align: "right", cell: ({ revision }) => revision },
		{
			key: "changed",
			head: "Changed",
			cell: ({ updated_at, created_by }) => (
				<span className="whitespace-nowrap text-muted" title={times.dateTime(updated_at)}>
					{times.relative(updated_at)} {created_by !== null && `by ${created_by.username}`}
				</span>
			),
		},
		{
			key: "verbs",
			head: <span className="sr-only">Actions</span>,
			align: "right",
			sticky: true,
			cell: (plan) => (
				<Menu
					trigger={<IconButton variant="ghost" icon={Ellipsis} label={`More for ${plan.name}`} />}
					groups={[
						[
							{ label: "Try it on stored snapshots", icon: FlaskConical, run: () => setTried(plan) },
							...(plan.can_edit ? [{ label: "Edit", icon: Pencil, run: () => onEdit(plan.id) }] : []),
						],
						plan.can_edit ? [{ label: "Delete", icon: Trash2, danger: true, run: () => setRemoving(plan) }] : [],
					].filter((group) => group.length > 0)}
				/>
			),
		},
	];
	return (
		<>
			<Table label="Change plans" columns={columns} rows={rows} getKey={({ id }) => id} />
			{tried !== null && <PlanPreviewDialog plan={tried} onClose={() => setTried(null)} />}
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name ?? ""}?`}
				verb="Delete the plan"
				onConfirm={async () => removing && remove.mutateAsync(removing.id)}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">Windows that were made with it keep its items and settings.</p>
			</Confirm>
		</>
	);
}
