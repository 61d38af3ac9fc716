/** The findings of a plan between the two latest snapshots of its queries. */
import type { ChangePlan, PlanPreview, WindowFinding } from "@weft/contracts";
import { changePlanRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { useConnections, useTarget } from "../../platform/target.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ObjectLink } from "../../ui/object-link.tsx";
import { ProblemBanner } from "../../ui/page.tsx";
import { State } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { FabricsField } from "./fabrics-field.tsx";
import { ChangeText } from "./findings.tsx";
import { CLASS_LOOKS } from "./words.ts";

interface PlanPreviewProps {
	readonly plan: ChangePlan;
	onClose(): void;
}

export function PlanPreviewDialog({ plan, onClose }: PlanPreviewProps) {
	const target = useTarget();
	const [chosen, setChosen] = useState<readonly string[] | null>(null);
	const fabrics = chosen ?? (target === undefined ? [] : [target.id]);
	const compare = useAction(() =>
		callRoute(changePlanRoutes.preview, { params: { id: plan.id }, body: { connection_ids: [...fabrics] } }),
	);
	const errors = compare.error === null ? {} : findProblem(compare.error).fields;
	return (
		<Dialog
			open
			side="right"
			title={`Try ${plan.name}`}
			description="Judges the differences between the two latest snapshots of each query. Nothing is stored."
			onClose={onClose}
			actions={
				<Button variant="primary" busy={compare.isPending} onClick={() => compare.mutate(undefined)}>
					Compare
				</Button>
			}
		>
			<div className="flex flex-col gap-4">
				<FabricsField chosen={fabrics} error={errors.connection_ids} onChange={setChosen} />
				{compare.error !== null && errors.connection_ids === undefined && <ProblemBanner error={compare.error} />}
				{compare.data?.results.length === 0 && <p className="m-0">The plan has no query, only checks.</p>}
				{compare.data?.results.map((result) => (
					<ItemResult key={`${result.connection_id} ${result.item}`} plan={plan} result={result} />
				))}
			</div>
		</Dialog>
	);
}

const COLUMNS: Column<WindowFinding>[] = [
	{ key: "class", head: "Finding", cell: ({ class: kind }) => <State looks={CLASS_LOOKS} status={kind} /> },
	{
		key: "object",
		head: "Object",
		className: "w-full",
		cell: (finding) => (
			<span className="flex min-w-0 flex-col items-start py-1">
				{finding.dn !== null && <ObjectLink dn={finding.dn} connection={finding.connection_id} />}
				<ChangeText finding={finding} />
			</span>
		),
	},
];

function ItemResult({ plan, result }: { plan: ChangePlan; result: PlanPreview["results"][number] }) {
	const times = useTimes();
	const { item, connection_id, from, to, error, total, findings } = result;
	const fabric = useConnections().data?.results.find(({ id }) => id === connection_id)?.name ?? "Hidden fabric";
	const name = `${String(plan.items[item]?.name ?? "Hidden query")}, ${fabric}`;
	return (
		<section aria-label={name} className="flex min-w-0 flex-col gap-1">
			<h3 className="m-0 font-medium">{name}</h3>
			<p className="m-0 text-muted text-xs">
				{error ??
					`${times.dateTime(from?.at ?? "")} and ${times.dateTime(to?.at ?? "")}: ${
						total === 0 ? "nothing differs" : formatPlural(total, "finding")
					}.${total > findings.length ? ` The first ${findings.length} are shown.` : ""}`}
			</p>
			{findings.length > 0 && (
				<Table label={`Findings of ${name}`} columns={COLUMNS} rows={findings} getKey={({ id }) => id} />
			)}
		</section>
	);
}
