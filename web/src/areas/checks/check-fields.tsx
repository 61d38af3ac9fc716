/** The fields of a check: its query, its expectation, and who hears of it. */
import type { Check, CheckType, FindingSeverity } from "@weft/contracts";
import { CHECK_TYPES, FINDING_SEVERITIES } from "@weft/contracts/browser";
import { useProfile } from "../../platform/profile.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Panel } from "../../ui/page.tsx";
import { ConfigFields } from "./config-fields.tsx";
import { ConnectionsField } from "./connections-field.tsx";
import { QueryField } from "./query-field.tsx";
import { RecipientsField } from "./recipients-field.tsx";
import type { CheckEdit } from "./use-check-edit.ts";
import { formatSeverity, TYPE_NAMES } from "./words.tsx";

export function SubjectPanel({
	saved,
	check: { edited, set, errors },
}: {
	readonly saved: Check | null;
	readonly check: CheckEdit;
}) {
	return (
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
	);
}

export function ExpectationPanel({ check: { edited, set, chooseType, errors } }: { readonly check: CheckEdit }) {
	return (
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
	);
}

export function AlertsPanel({
	saved,
	check: { edited, set, errors },
}: {
	readonly saved: Check | null;
	readonly check: CheckEdit;
}) {
	const profileId = useProfile()?.id;
	const ownerId = saved?.created_by.id ?? profileId;
	return (
		<Panel title="Alerts and access" padded>
			<div className="flex flex-col gap-3.5">
				<div className="grid grid-cols-2 gap-3">
					<SelectField
						label="Severity"
						value={edited.severity}
						options={FINDING_SEVERITIES.map((value) => ({ value, label: formatSeverity(value) }))}
						error={errors.severity}
						onChange={(event) => set({ severity: event.target.value as FindingSeverity })}
					/>
					<NumberField
						label="Alert after N failed runs in a row"
						min={1}
						max={100}
						value={edited.for_runs}
						error={errors.for_runs}
						onChange={(for_runs) => set({ for_runs })}
					/>
				</div>
				<RecipientsField
					notify={edited.notify}
					ownerId={ownerId}
					isOwn={ownerId === profileId}
					queryId={edited.saved_query}
					isPublic={edited.is_public}
					errors={errors}
					onChange={(notify) => set({ notify })}
				/>
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
					label="Evaluate automatically after each run of the query"
					checked={edited.is_active}
					onChange={(event) => set({ is_active: event.target.checked })}
				/>
				<CheckField
					label="Public"
					hint="Others who see the query see the check, with the states of fabrics that they see."
					checked={edited.is_public}
					onChange={(event) => set({ is_public: event.target.checked })}
				/>
			</div>
		</Panel>
	);
}
