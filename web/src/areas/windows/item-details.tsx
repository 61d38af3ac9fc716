/** Fields that few queries of a plan need: severity, pairing by name, and unsettled rows. */
import type { QueryItem } from "@weft/contracts";
import { FINDING_SEVERITIES } from "@weft/contracts/browser";
import { Button } from "../../ui/button.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import type { FieldErrors } from "../../ui/form-drawer.tsx";
import { ConditionsField } from "../checks/conditions-field.tsx";
import { createCondition } from "../checks/config.ts";
import type { DraftItem } from "./draft-item.ts";

interface ItemDetailsProps {
	readonly item: DraftItem;
	readonly errors: FieldErrors;
	/** Place of the item in the messages, such as `items.0`. */
	readonly path: string;
	onChange(item: DraftItem): void;
}

export function ItemDetails({ item, errors, path, onChange }: ItemDetailsProps) {
	const unsettled = item.unsettled_when ?? null;
	const setUnsettled = (unsettled_when: QueryItem["unsettled_when"]) => onChange({ ...item, unsettled_when });
	const isUsed = item.severity != null || item.match === "name" || unsettled !== null;
	return (
		<details open={isUsed}>
			<summary className="cursor-pointer">Severity, pairing and unsettled rows</summary>
			<div className="mt-2 flex min-w-0 flex-col gap-2">
				<SelectField
					label="Severity of differences"
					value={item.severity ?? ""}
					options={[
						{ value: "", label: "As the drift rules of the query say" },
						...FINDING_SEVERITIES.map((value) => ({ value, label: value })),
					]}
					error={errors[`${path}.severity`]}
					onChange={({ target }) =>
						onChange({ ...item, severity: (target.value || null) as NonNullable<QueryItem["severity"]> | null })
					}
				/>
				<CheckField
					label="Pair objects by name"
					hint="For a replaced node, whose number differs from that of its predecessor."
					checked={item.match === "name"}
					onChange={({ target }) => onChange({ ...item, match: target.checked ? "name" : "dn" })}
				/>
				{unsettled === null ? (
					<div>
						<Button onClick={() => setUnsettled({ match: "any", conditions: [createCondition()] })}>
							Wait while rows are unsettled
						</Button>
					</div>
				) : (
					<>
						<ConditionsField
							label="A row is unsettled if it meets"
							match={unsettled.match}
							conditions={unsettled.conditions}
							errors={errors}
							path={`${path}.unsettled_when`}
							onChange={(change) => setUnsettled({ ...unsettled, ...change } as QueryItem["unsettled_when"])}
						/>
						<div>
							<Button onClick={() => setUnsettled(null)}>Do not wait for rows</Button>
						</div>
					</>
				)}
			</div>
		</details>
	);
}
