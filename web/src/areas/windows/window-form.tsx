/** A change window's fields, in a drawer. */
import type { ChangePlan, ChangeWindow } from "@weft/contracts";
import { changePlanRoutes, changeWindowRoutes } from "@weft/contracts/browser";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { useDraftState } from "../../platform/draft-state.ts";
import { toInstant, toLocal } from "../../platform/instant.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { useTarget } from "../../platform/target.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDrawer } from "../../ui/form-drawer.tsx";
import { Banner } from "../../ui/page.tsx";
import { readTicket, TicketFields } from "../../ui/ticket-fields.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { FabricsField } from "./fabrics-field.tsx";
import { isStarted } from "./window-states.ts";

interface WindowFormProps {
	/** Null: a new one. */
	readonly window: ChangeWindow | null;
	onSaved(window: ChangeWindow): void;
	onClose(): void;
}

export const WindowForm = (props: WindowFormProps) => (
	<Drafted form="change-window" id={props.window?.id ?? "new"} base={props.window?.updated_at ?? null}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ window, onSaved, onClose }: WindowFormProps) {
	const { zone } = useTimes();
	const target = useTarget();
	const [chosen, setChosen] = useDraftState<readonly string[] | null>("fabrics", window?.connection_ids ?? null);
	const [plan, setPlan] = useDraftState("plan", window?.plan ?? "");
	const format = (at: string | null | undefined) => (at ? toLocal(at, zone) : "");
	const [starts, setStarts] = useDraftState("starts_at", format(window?.starts_at));
	const [ends, setEnds] = useDraftState("ends_at", format(window?.ends_at));
	const plans = useAnswer(changePlanRoutes.list, { query: { page_size: "200", ordering: "name" } });
	const [approval, setApproval] = useDraftState<boolean | null>("approval", window?.requires_approval ?? null);
	const needsApproval = approval ?? plans.data?.results.find(({ id }) => id === plan)?.requires_approval ?? false;
	const fabrics = chosen ?? (target === undefined ? [] : [target.id]);
	const hasStarted = window !== null && isStarted(window.state);

	const send = (form: FormData) => {
		const rest = hasStarted
			? {}
			: {
					...readRest(form),
					plan,
					requires_approval: needsApproval,
					connection_ids: [...fabrics],
					starts_at: starts === "" ? null : toInstant(starts, zone),
					ends_at: ends === "" ? null : toInstant(ends, zone),
				};
		const body = { title: String(form.get("title")).trim(), ticket: readTicket(form), ...rest };
		return window === null
			? callRoute(changeWindowRoutes.create, { body: { ...body, plan } })
			: callRoute(changeWindowRoutes.update, {
					params: { id: window.id },
					body: { ...body, updated_at: window.updated_at },
				});
	};
	return (
		<FormDrawer
			title={window === null ? "New change window" : window.title}
			description={
				window === null
					? "Compares the state before and after the work, and judges it by the declared changes."
					: undefined
			}
			stale={["change_windows"]}
			send={send}
			onSaved={onSaved}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<TextField
						label="Title"
						name="title"
						defaultValue={window?.title}
						required
						maxLength={200}
						autoComplete="off"
						data-autofocus
						error={errors.title}
					/>
					<TicketFields ticket={window?.ticket} errors={errors} />
					{!hasStarted && (
						<>
							<PlanField plans={plans} plan={plan} error={errors.plan} onChange={setPlan} />
							<FabricsField chosen={fabrics} error={errors.connection_ids} onChange={setChosen} />
							<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
								<WhenField
									kind="datetime"
									label="Begins"
									field="starts_at"
									hint={`${zone}. Empty: when a person starts it.`}
									value={starts}
									error={errors.starts_at}
									onChange={setStarts}
								/>
								<WhenField
									kind="datetime"
									label="Ends"
									field="ends_at"
									hint="Empty: a day after it has opened."
									value={ends}
									error={errors.ends_at}
									onChange={setEnds}
								/>
							</div>
							<CheckField
								label="Weft starts it at that time"
								name="auto_start"
								defaultChecked={window?.auto_start ?? false}
							/>
							<CheckField
								label="End the work with the last job"
								hint="Jobs of automation requests that name the window."
								name="auto_finish"
								defaultChecked={window?.auto_finish ?? false}
							/>
							<CheckField
								label="Another person has to approve it"
								checked={needsApproval}
								onChange={({ target }) => setApproval(target.checked)}
							/>
							<TextField
								label="Implementers"
								name="implementers"
								hint="Users of the controller, comma-separated. Changes by other users are marked as foreign."
								defaultValue={window?.implementers.join(", ")}
								error={errors.implementers}
							/>
						</>
					)}
				</>
			)}
		</FormDrawer>
	);
}

interface PlanFieldProps {
	/** The answer of the list of plans. */
	readonly plans: {
		readonly data: { readonly count: number; readonly results: readonly ChangePlan[] } | undefined;
		readonly error: unknown;
	};
	readonly plan: string;
	readonly error: string | undefined;
	onChange(id: string): void;
}

function PlanField({ plans, plan, error, onChange }: PlanFieldProps) {
	const isEmpty = plans.data?.count === 0;
	return (
		<div className="flex flex-col gap-1.5">
			<SelectField
				label="Plan"
				required
				value={plan}
				options={[
					{ value: "", label: "Choose a plan" },
					...(plans.data?.results.map(({ id, name }) => ({ value: id, label: name })) ?? []),
				]}
				error={error ?? (plans.error === null ? undefined : findProblem(plans.error).detail)}
				hint="The plan has the queries to compare, the checks to evaluate, and the rules of settling."
				onChange={(event) => onChange(event.target.value)}
			/>
			{isEmpty && (
				<Banner
					tone="info"
					title="There is no plan yet."
					detail="Add a plan first. It names the queries that are compared."
					action={
						<ButtonLink to="/change-plans" search={{ new: "1" }}>
							New plan
						</ButtonLink>
					}
				/>
			)}
		</div>
	);
}

function readRest(form: FormData) {
	return {
		auto_start: form.get("auto_start") === "on",
		auto_finish: form.get("auto_finish") === "on",
		implementers: String(form.get("implementers") ?? "")
			.split(",")
			.map((name) => name.trim())
			.filter((name) => name !== ""),
	};
}
