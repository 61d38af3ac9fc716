/** The fields of a trend: a number of the rows and its threshold. */
import { SERIES_VALUES } from "@weft/contracts/browser";
import { SelectField, TextField } from "../../ui/field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import type { Config } from "./config.ts";
import { TREND_VALUES, TREND_WORDS } from "./describe.ts";

interface TrendFieldsProps {
	readonly config: Config;
	readonly errors: Readonly<Record<string, string>>;
	onChange(change: Config): void;
}

const readText = (value: unknown): string => (typeof value === "string" ? value : "");

export function TrendFields({ config, errors, onChange }: TrendFieldsProps) {
	return (
		<>
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<SelectField
					label="Number"
					value={String(config.value)}
					options={SERIES_VALUES.map((value) => ({ value, label: TREND_VALUES[value] }))}
					error={errors["config.value"]}
					onChange={(event) => onChange({ value: event.target.value })}
				/>
				<TextField
					mono
					label="Field"
					placeholder={config.value === "count" ? "none: rows are counted" : "fvBD.mtu"}
					value={readText(config.field)}
					spellCheck={false}
					autoComplete="off"
					error={errors["config.field"]}
					onChange={(event) => onChange({ field: event.target.value })}
				/>
				<SelectField
					label="Must be"
					value={String(config.operator)}
					options={Object.entries(TREND_WORDS).map(([value, label]) => ({ value, label }))}
					error={errors["config.operator"]}
					onChange={(event) => onChange({ operator: event.target.value })}
				/>
				<NumberField
					label="Threshold"
					step="any"
					value={Number(config.threshold)}
					error={errors["config.threshold"]}
					onChange={(threshold) => onChange({ threshold })}
				/>
			</div>
			<TextField
				mono
				label="Group by"
				hint="With a field, the number of each of its values counts."
				value={readText(config.group_by)}
				spellCheck={false}
				autoComplete="off"
				error={errors["config.group_by"]}
				onChange={(event) => onChange({ group_by: event.target.value })}
			/>
			<TextField
				label="Within days"
				type="number"
				min={1}
				max={365}
				hint="Empty: the present number decides. With days, the line through the last 14 days must hold that long, too."
				value={config.within_days === undefined ? "" : String(config.within_days)}
				error={errors["config.within_days"]}
				onChange={(event) => onChange({ within_days: event.target.value === "" ? "" : Number(event.target.value) })}
			/>
		</>
	);
}
