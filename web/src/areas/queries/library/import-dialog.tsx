/** Preview of an import: the changes that the chosen files make, or their errors. */
import { useAction } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { applyImport, type ImportPlan } from "./query-files.ts";

/** The effect of an import on one object. */
const EFFECTS = { created: "new", updated: "replaced", deleted: "deleted", unchanged: "unchanged" } as const;

interface ImportDialogProps {
	readonly plan: ImportPlan;
	onClose(): void;
}

export function ImportDialog({ plan, onClose }: ImportDialogProps) {
	const { changes, errors } = plan;
	const changed = changes.filter(({ action }) => action !== "unchanged").length;
	const apply = useAction(() => applyImport(plan), {
		stale: [
			"saved_queries",
			"query_categories",
			"schedules",
			"checks",
			"connections",
			"change_plans",
			"calendar_entries",
		],
		onSuccess: () => {
			showToast(`${formatPlural(changed, "object", "objects")} imported`);
			onClose();
		},
	});
	return (
		<Dialog
			open
			title="Import YAML files"
			description={describePlan(plan)}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					{changed > 0 && (
						<Button variant="primary" busy={apply.isPending} onClick={() => apply.mutate(undefined)}>
							Import
						</Button>
					)}
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{apply.error !== null && <ProblemBanner error={apply.error} />}
				<ul className="m-0 flex list-none flex-col gap-1.5 p-0">
					{errors.map((error) => (
						<li key={error} className="break-words">
							{error}
						</li>
					))}
					{changes.map(({ path, kind, name, action }) => (
						<li key={path} className="flex items-center gap-2">
							<Pill tone={action === "updated" ? "warn" : "neutral"}>{EFFECTS[action]}</Pill>
							<span className="min-w-0 break-words">
								{kind === "query" ? name : `${name} (${kind.replaceAll("_", " ")})`}
							</span>
						</li>
					))}
				</ul>
			</div>
		</Dialog>
	);
}

function describePlan({ documents, changes, errors }: ImportPlan): string {
	if (documents.length === 0) return "The chosen files are empty. Choose files that Weft has exported.";
	if (errors.length > 0) return "Nothing can be imported. Correct the files and choose them again.";
	if (changes.some(({ action }) => action === "updated"))
		return "Objects of yours with the same name are replaced by those of the files.";
	return "The files make these changes.";
}
