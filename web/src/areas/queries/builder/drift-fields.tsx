/** What counts as drift of a query: a part of the form in which it is saved. */
import type { DriftRules, FindingSeverity } from "@weft/contracts";
import { DEFAULT_DRIFT_RULES, FINDING_SEVERITIES } from "@weft/contracts/browser";
import { AreaField, CheckField } from "../../../ui/field.tsx";

const LISTS = {
	ignore: { label: "Ignored attributes", hint: "One a line: descr, fvBD.descr, or a pattern such as *Ts." },
	ignore_classes: { label: "Ignored classes", hint: "One a line; * stands for any characters." },
	ignore_dns: { label: "Ignored DNs", hint: "Regular expressions, one a line, found anywhere in a DN." },
	treat_as_set: { label: "Lists without order", hint: "Attributes whose commas separate values in any order." },
} as const;
type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as ListName[];

interface DriftFieldsProps {
	readonly rules: DriftRules | undefined;
	/** The service's messages by field. */
	readonly errors: Readonly<Record<string, string>>;
}

export function DriftFields({ rules = DEFAULT_DRIFT_RULES, errors }: DriftFieldsProps) {
	const getError = (name: string) =>
		Object.entries(errors)
			.filter(([field]) => field === `drift_rules.${name}` || field.startsWith(`drift_rules.${name}.`))
			.map(([field, message]) => `${findPlace(field)}${message}`)
			.join(" ") || undefined;
	const isOpen = Object.keys(errors).some((field) => field.startsWith("drift_rules"));
	return (
		<details open={isOpen || undefined} className="rounded-control border border-line px-3 py-2">
			<summary className="cursor-pointer font-medium">What counts as drift</summary>
			<div className="mt-3 flex flex-col gap-3">
				<CheckField
					label="Ignore clocks and counters"
					hint="Attributes such as modTs that differ between two results of an unchanged fabric."
					name="drift_volatile"
					defaultChecked={rules.ignore_volatile}
				/>
				{NAMES.map((name) => (
					<AreaField
						key={name}
						label={LISTS[name].label}
						hint={LISTS[name].hint}
						name={`drift_${name}`}
						rows={2}
						spellCheck={false}
						defaultValue={rules[name].join("\n")}
						error={getError(name)}
					/>
				))}
				<AreaField
					label="Severity"
					hint="One a line: fvBD = critical, descr = info, or fvBD.descr = info. Without a line a change is a warning."
					name="drift_severity"
					rows={2}
					spellCheck={false}
					defaultValue={Object.entries(rules.severity)
						.map(([key, severity]) => `${key} = ${severity}`)
						.join("\n")}
					error={getError("severity")}
				/>
			</div>
		</details>
	);
}

/** `Line 2: ` for the second entry of a list. */
function findPlace(field: string): string {
	const [, , entry] = field.split(".");
	return entry !== undefined && /^\d+$/.test(entry) ? `Line ${Number(entry) + 1}: ` : "";
}

const formatLines = (form: FormData, name: string): string[] =>
	String(form.get(name) ?? "")
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");

/** The service refuses a severity that it does not know, and names its entry. */
export function readDriftRules(form: FormData): DriftRules {
	const lists = Object.fromEntries(NAMES.map((name) => [name, formatLines(form, `drift_${name}`)]));
	const severity = formatLines(form, "drift_severity").map((line) => {
		const at = line.lastIndexOf("=");
		const [key, word] = at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
		return [key, (FINDING_SEVERITIES.find((known) => known === word.toLowerCase()) ?? word) as FindingSeverity];
	});
	return {
		...(lists as Pick<DriftRules, ListName>),
		ignore_volatile: form.get("drift_volatile") === "on",
		severity: Object.fromEntries(severity),
	};
}
