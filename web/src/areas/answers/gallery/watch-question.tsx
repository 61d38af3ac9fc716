/** Watches a question: query, check, schedule and recipients in one dialog. */

import type { Check, FindingSeverity, Question } from "@weft/contracts";
import { FINDING_SEVERITIES, galleryRoutes } from "@weft/contracts/browser";
import { useRef, useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { GroupMessage } from "../../../ui/field-message.tsx";
import { Form } from "../../../ui/form.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { VariableFields } from "../../../ui/variable-fields.tsx";
import { useWatching, WatchFields, WatchProblem } from "../../checks/watch-fields.tsx";
import { formatSeverity } from "../../checks/words.tsx";

const RULES = {
	any: "The question returns any row",
	none: "The question returns no row",
	more: "It returns more rows than a number",
	changed: "Anything changed since the last snapshot",
} as const;
type Rule = keyof typeof RULES;

/** The check of a rule as the service takes it. */
function buildCheck(rule: Rule, most: number) {
	switch (rule) {
		case "any":
			return { type: "no_rows", config: {} } as const;
		case "none":
			return { type: "row_count", config: { operator: "ge", value: 1 } } as const;
		case "more":
			return { type: "row_count", config: { operator: "le", value: most } } as const;
		case "changed":
			return { type: "unchanged", config: {} } as const;
	}
}

/** Fields beside those of how a check watches. */
const PLACED = /^(name$|type$|config\.|variable_values)/;

interface WatchQuestionProps {
	readonly question: Question;
	onSaved(check: Check): void;
	onClose(): void;
}

export function WatchQuestion({ question: { key, question, variables }, onSaved, onClose }: WatchQuestionProps) {
	const form = useRef<HTMLFormElement>(null);
	const [name, setName] = useState(question.replace(/\?$/, ""));
	const [rule, setRule] = useState<Rule>("any");
	const [most, setMost] = useState(100);
	const [severity, setSeverity] = useState<FindingSeverity>("warning");
	const { watching, set, buildBody } = useWatching();
	const save = useAction(
		async (values: Record<string, FormDataEntryValue>) =>
			callRoute(galleryRoutes.watch, {
				params: { key },
				body: {
					name,
					severity,
					...buildCheck(rule, most),
					...(await buildBody()),
					variable_values: Object.fromEntries(variables.map(({ id }) => [id, String(values[id] ?? "")])),
				},
			}),
		{ stale: ["checks", "saved_queries", "pipelines", "schedules"], onSuccess: onSaved },
	);
	const submit = () => {
		if (form.current?.reportValidity()) save.mutate(Object.fromEntries(new FormData(form.current)));
	};
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	const ruleError = Object.entries(errors).find(([path]) => /^(type|config)/.test(path))?.[1];
	return (
		<Dialog
			open
			title="Watch this"
			description="The question becomes a query of yours with snapshots, a check of its rows, and a schedule."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={save.isPending} onClick={submit}>
						Watch
					</Button>
				</>
			}
		>
			<Form
				ref={form}
				className="flex flex-col gap-3.5"
				onSubmit={(event) => {
					event.preventDefault();
					submit();
				}}
			>
				<WatchProblem error={save.error} others={PLACED} />
				<TextField
					label="Name"
					required
					maxLength={200}
					autoComplete="off"
					value={name}
					error={errors.name}
					onChange={(event) => setName(event.target.value)}
				/>
				<VariableFields variables={variables} errors={errors} />
				{errors.variable_values && <GroupMessage text={errors.variable_values} />}
				<SelectField
					label="Fails when"
					value={rule}
					options={Object.entries(RULES).map(([value, label]) => ({ value, label }))}
					error={ruleError}
					onChange={(event) => setRule(event.target.value as Rule)}
				/>
				{rule === "more" && (
					<NumberField label="Most rows" min={0} max={1_000_000_000} value={most} onChange={setMost} />
				)}
				<SelectField
					label="Severity"
					value={severity}
					options={FINDING_SEVERITIES.map((value) => ({ value, label: formatSeverity(value) }))}
					onChange={(event) => setSeverity(event.target.value as FindingSeverity)}
				/>
				<WatchFields watching={watching} set={set} errors={errors} />
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
