/** Rules of a column that few columns need: values from a query, lengths, and texts. */
import type { ValuesFrom } from "@weft/contracts";
import { useState } from "react";
import { useConnections } from "../../platform/target.ts";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { QueryField } from "../checks/query-field.tsx";
import { type EditedColumn, readTypedNumber } from "./column-types.ts";

interface ColumnDetailsProps {
	readonly column: EditedColumn;
	getError(field: string): string | undefined;
	onChange(change: Partial<EditedColumn>): void;
}

/** Types whose cells are texts of any length. */
const OF_ANY_LENGTH: readonly string[] = ["text", "textarea", "password"];

export function ColumnDetails({ column, getError, onChange }: ColumnDetailsProps) {
	const { description, error_message, min_length, max_length, allow_jinja, values_from } = column;
	const given = [description, error_message, min_length, max_length, values_from];
	const [isOpen, setOpen] = useState(allow_jinja === true || given.some((value) => value != null && value !== ""));
	return (
		<details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary className="cursor-pointer rounded-cell">Values from a query, lengths and texts</summary>
			{isOpen && (
				<div className="mt-2 grid items-start gap-2 @md:grid-cols-2 @2xl:grid-cols-4">
					<TextField
						label="Explanation"
						hint="Shown under its name."
						maxLength={2000}
						value={description ?? ""}
						error={getError("description")}
						onChange={({ target }) => onChange({ description: target.value || undefined })}
					/>
					<TextField
						label="Message for an invalid cell"
						hint="Instead of Weft's own."
						maxLength={500}
						value={error_message ?? ""}
						error={getError("error_message")}
						onChange={({ target }) => onChange({ error_message: target.value || undefined })}
					/>
					{OF_ANY_LENGTH.includes(column.field_type) && (
						<>
							<TextField
								label="Minimum length"
								type="number"
								min={0}
								value={min_length ?? ""}
								error={getError("min_length")}
								onChange={({ target }) => onChange({ min_length: readTypedNumber(target.value) })}
							/>
							<TextField
								label="Maximum length"
								type="number"
								min={0}
								value={max_length ?? ""}
								error={getError("max_length")}
								onChange={({ target }) => onChange({ max_length: readTypedNumber(target.value) })}
							/>
							<CheckField
								label="Allow {{ and {%"
								hint="The automation server may run them as a template."
								checked={allow_jinja ?? false}
								onChange={({ target }) => onChange({ allow_jinja: target.checked })}
							/>
						</>
					)}
					<ValuesFields
						values={values_from ?? null}
						getError={getError}
						onChange={(next) => onChange({ values_from: next ?? undefined })}
					/>
				</div>
			)}
		</details>
	);
}

interface ValuesFieldsProps extends Pick<ColumnDetailsProps, "getError"> {
	readonly values: ValuesFrom | null;
	onChange(values: ValuesFrom | null): void;
}

/** The query whose results give the allowed values. */
function ValuesFields({ values, getError, onChange }: ValuesFieldsProps) {
	const fabrics = useConnections().data?.results ?? [];
	const begin = (saved_query: string) => {
		const fabric = values?.controller_connection ?? fabrics[0]?.id ?? "";
		onChange(saved_query === "" ? null : { field: "name", ...values, saved_query, controller_connection: fabric });
	};
	const isListed = fabrics.some(({ id }) => id === values?.controller_connection);
	return (
		<>
			<QueryField
				label="Values from the query"
				none="(no query)"
				value={values?.saved_query ?? ""}
				error={getError("values_from") ?? getError("values_from.saved_query")}
				onChange={begin}
			/>
			{values !== null && (
				<>
					<TextField
						mono
						label="Attribute with the values"
						placeholder="fvTenant.name"
						value={values.field}
						spellCheck={false}
						error={getError("values_from.field")}
						onChange={({ target }) => onChange({ ...values, field: target.value })}
					/>
					<SelectField
						label="On the fabric"
						value={values.controller_connection}
						error={getError("values_from.controller_connection")}
						options={[
							...(isListed ? [] : [{ value: values.controller_connection, label: "(not shown to you)" }]),
							...fabrics.map(({ id, name }) => ({ value: id, label: name })),
						]}
						onChange={({ target }) => onChange({ ...values, controller_connection: target.value })}
					/>
				</>
			)}
		</>
	);
}
