/** The editor of a check, with a preview on the rows of the latest runs. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { CHECK_TYPES, checkRoutes } from "@weft/contracts/browser";
import { Save } from "lucide-react";
import { type FormEvent, useRef } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useCommands } from "../../platform/keys.ts";
import { Button } from "../../ui/button.tsx";
import { CancelButton, Drafted, Form } from "../../ui/form.tsx";
import { Banner, PageHead } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { AlertsPanel, ExpectationPanel, SubjectPanel } from "./check-fields.tsx";
import { Preview } from "./preview.tsx";
import { type OpenedCheck, useCheckEdit } from "./use-check-edit.ts";

const newRoute = getRouteApi("/app/checks/new");
const editRoute = getRouteApi("/app/checks/$id/edit");
const LIST = { label: "Checks", to: "/checks" as const };

export function NewCheckPage() {
	const { query = "", type } = newRoute.useSearch();
	return (
		<Drafted key={`${query} ${type}`} form="check" id={`new ${query} ${type ?? ""}`}>
			<Editor saved={null} queryId={query} type={CHECK_TYPES.find((each) => each === type)} />
		</Drafted>
	);
}

export function EditCheckPage() {
	const { id } = editRoute.useParams();
	const answer = useAnswer(checkRoutes.detail, { params: { id } });
	if (answer.data === undefined) {
		return <Unloaded what="Check" crumbs={[LIST]} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	// A later answer does not replace the edits: only changed fields are sent.
	return (
		<Drafted key={id} form="check" id={id}>
			<Editor saved={answer.data} queryId="" />
		</Drafted>
	);
}

function Editor(opened: OpenedCheck) {
	const { saved } = opened;
	const form = useRef<HTMLFormElement>(null);
	const navigate = useNavigate();
	const check = useCheckEdit(opened);
	const { edited, canSave, save, preview } = check;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (!canSave || !form.current?.reportValidity()) return;
		check.submit();
	};
	useCommands([
		...(canSave
			? [{ id: "check.save", label: "Save the check", group: "Check", keys: "mod+s", run: () => submit() }]
			: []),
		...(edited.type === "unchanged"
			? []
			: [
					{
						id: "check.preview",
						label: "Preview the check",
						group: "Check",
						keys: "mod+enter",
						run: check.showPreview,
					},
				]),
	]);
	return (
		<>
			<PageHead
				title={saved === null ? "New check" : `Edit ${saved.name}`}
				crumbs={[LIST, ...(saved ? [{ label: saved.name, to: "/checks/$id" as const, params: { id: saved.id } }] : [])]}
				actions={
					<>
						<CancelButton
							onClose={() =>
								void navigate(saved === null ? { to: "/checks" } : { to: "/checks/$id", params: { id: saved.id } })
							}
						/>
						{canSave && (
							<Button
								variant="primary"
								icon={Save}
								keys="mod+s"
								busy={save.isPending}
								disabled={saved !== null && !check.isDirty}
								onClick={() => submit()}
							>
								Save
							</Button>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{!canSave && (
					<Banner
						tone="warn"
						title={saved === null ? "You lack the permission add_check." : "You may not change this check."}
						detail={
							saved === null
								? "You can preview a check, and not save it."
								: "Its owner and administrators may, with the permission change_check."
						}
					/>
				)}
				{check.failure !== null && <SaveProblem error={check.failure} onSaveMine={() => save.mutate()} />}
				<div className="grid items-start gap-3 xl:grid-cols-2">
					<Form ref={form} className="flex min-w-0 flex-col gap-3" onSubmit={submit}>
						<SubjectPanel saved={saved} check={check} />
						<ExpectationPanel check={check} />
						<AlertsPanel saved={saved} check={check} />
						<button type="submit" hidden />
					</Form>
					<Preview
						answer={preview.data?.answer}
						number={preview.submittedAt}
						isOld={check.isPreviewOld}
						busy={preview.isPending}
						refusal={
							edited.type === "unchanged"
								? "A check of this type compares snapshots: it has no preview."
								: edited.saved_query === ""
									? "Choose a query: the preview looks at the rows of its latest runs."
									: null
						}
						onPreview={check.showPreview}
					/>
				</div>
			</div>
		</>
	);
}
