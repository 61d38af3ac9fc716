/** The editor of a check, with a preview on the rows of the latest runs. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Check, CheckType, FindingSeverity } from "@weft/contracts";
import { CHECK_TYPES, checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import { Save } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { useEdited } from "../../platform/edited.ts";
import { useCommands } from "../../platform/keys.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../ui/form.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Banner, PageHead, Panel } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { type Config, removeEmptyEntries, STARTS } from "./config.ts";
import { ConfigFields } from "./config-fields.tsx";
import { ConnectionsField } from "./connections-field.tsx";
import { Preview } from "./preview.tsx";
import { QueryField } from "./query-field.tsx";
import { severityWord, TYPE_NAMES } from "./words.tsx";

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

interface Fields {
	readonly name: string;
	readonly description: string;
	readonly saved_query: string;
	readonly controller_connection_ids: string[];
	readonly type: CheckType;
	readonly config: Config;
	readonly severity: FindingSeverity;
	readonly for_runs: number;
	readonly is_active: boolean;
	readonly is_public: boolean;
}

const getFields = (check: Check | null, queryId: string, type: CheckType): Fields => ({
	name: check?.name ?? "",
	description: check?.description ?? "",
	saved_query: check?.saved_query ?? queryId,
	controller_connection_ids: check?.controller_connection_ids ?? [],
	type: check?.type ?? type,
	config: check?.config ?? STARTS[type],
	severity: check?.severity ?? "warning",
	for_runs: check?.for_runs ?? 1,
	is_active: check?.is_active ?? true,
	is_public: check?.is_public ?? false,
});

/** Fields with a place for the service's message. */
const PLACED = /^(name|description|saved_query|controller_connection_ids|type|severity|for_runs|config\..+)$/;

interface EditorProps {
	readonly saved: Check | null;
	/** Of a new check. */
	readonly queryId: string;
	readonly type?: CheckType | undefined;
}

function Editor({ saved, queryId, type = "no_rows" }: EditorProps) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const navigate = useNavigate();
	const may = useMay();
	const { edited, change, dirty, set } = useEdited(getFields(saved, queryId, type));
	/** Configurations of the types that were chosen before. */
	const [others, setOthers] = useState<Partial<Record<CheckType, Config>>>({});
	const canSave = saved === null ? may("add_check") : saved.can_edit;
	const guard = useSaveGuard(saved, ({ id }) => callRoute(checkRoutes.detail, { params: { id } }));
	const rule = {
		saved_query: edited.saved_query,
		controller_connection_ids: edited.controller_connection_ids,
		type: edited.type,
		config: removeEmptyEntries(edited.type, edited.config),
	};
	const ruleKey = JSON.stringify(rule);
	const preview = useAction(async (key: string) => ({
		key,
		answer: await callRoute(checkRoutes.preview, { body: JSON.parse(key) }),
	}));
	const save = useAction(
		async () => {
			if (saved === null) return callRoute(checkRoutes.create, { body: { ...edited, config: rule.config } });
			// The service takes a new type together with its configuration.
			const isRule = change.type !== undefined || change.config !== undefined;
			const body = isRule ? { ...change, type: edited.type, config: rule.config } : change;
			await guard.assertUnchanged(body);
			return callRoute(checkRoutes.update, { params: { id: saved.id }, body });
		},
		{
			stale: ["checks"],
			onSuccess(check) {
				showToast(`${check.name} is saved`);
				draft?.drop();
				void navigate({ to: "/checks/$id", params: { id: check.id }, replace: true });
			},
		},
	);
	const failure = save.error ?? preview.error;
	const errors = failure === null ? {} : findProblem(failure).fields;
	const isPlaced = Object.keys(errors).some((path) => PLACED.test(path));

	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (!canSave || !form.current?.reportValidity()) return;
		preview.reset();
		save.mutate();
	};
	const look = () => {
		save.reset();
		preview.mutate(ruleKey);
	};
	const chooseType = (type: CheckType) => {
		setOthers((before) => ({ ...before, [edited.type]: edited.config }));
		set({ type, config: others[type] ?? STARTS[type] });
	};
	useCommands([
		...(canSave
			? [{ id: "check.save", label: "Save the check", group: "Check", keys: "mod+s", run: () => submit() }]
			: []),
		...(edited.type === "unchanged"
			? []
			: [{ id: "check.preview", label: "Preview the check", group: "Check", keys: "mod+enter", run: look }]),
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
								disabled={saved !== null && !dirty}
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
				{failure !== null && !isPlaced && <SaveProblem error={failure} onSaveMine={() => save.mutate()} />}
				<div className="grid items-start gap-3 xl:grid-cols-2">
					<Form ref={form} className="flex min-w-0 flex-col gap-3" onSubmit={submit}>
						<Panel title="Check" padded>
							<div className="flex flex-col gap-3.5">
								<TextField
									label="Name"
									required
									maxLength={200}
									autoComplete="off"
									value={edited.name}
									error={errors.name}
									onChange={(event) => set({ name: event.target.value })}
								/>
								<QueryField
									label="Query"
									none="Choose a query"
									required
									value={edited.saved_query}
									known={saved?.query_name}
									error={errors.saved_query}
									onChange={(id) => set({ saved_query: id })}
								/>
								<ConnectionsField
									chosen={edited.controller_connection_ids}
									error={errors.controller_connection_ids}
									onChange={(ids) => set({ controller_connection_ids: ids })}
								/>
							</div>
						</Panel>
						<Panel title="Expectation" padded>
							<div className="flex flex-col gap-3.5">
								<SelectField
									label="Type"
									value={edited.type}
									options={CHECK_TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }))}
									error={errors.type}
									onChange={(event) => chooseType(event.target.value as CheckType)}
								/>
								<ConfigFields
									type={edited.type}
									config={edited.config}
									errors={errors}
									onChange={(part) => set({ config: { ...edited.config, ...part } })}
								/>
							</div>
						</Panel>
						<Panel title="Alerts and access" padded>
							<div className="flex flex-col gap-3.5">
								<div className="grid grid-cols-2 gap-3">
									<SelectField
										label="Severity"
										value={edited.severity}
										options={FINDING_SEVERITIES.map((value) => ({ value, label: severityWord(value) }))}
										error={errors.severity}
										onChange={(event) => set({ severity: event.target.value as FindingSeverity })}
									/>
									<NumberField
										label="Violated runs until failing"
										min={1}
										max={100}
										value={edited.for_runs}
										error={errors.for_runs}
										onChange={(for_runs) => set({ for_runs })}
									/>
								</div>
								<AreaField
									label="Description"
									rows={3}
									maxLength={2_000}
									hint="What to do when it fails, for those who read the alert."
									value={edited.description}
									error={errors.description}
									onChange={(event) => set({ description: event.target.value })}
								/>
								<CheckField
									label="Evaluate at the end of each run"
									checked={edited.is_active}
									onChange={(event) => set({ is_active: event.target.checked })}
								/>
								<CheckField
									label="Public"
									hint="Others who see the query see the check, with the states of connections that they see."
									checked={edited.is_public}
									onChange={(event) => set({ is_public: event.target.checked })}
								/>
							</div>
						</Panel>
						<button type="submit" hidden />
					</Form>
					<Preview
						answer={preview.data?.answer}
						number={preview.submittedAt}
						isOld={preview.data?.key !== ruleKey}
						busy={preview.isPending}
						refusal={
							edited.type === "unchanged"
								? "A check of this type compares snapshots: it has no preview."
								: edited.saved_query === ""
									? "Choose a query: the preview looks at the rows of its latest runs."
									: null
						}
						onPreview={look}
					/>
				</div>
			</div>
		</>
	);
}
