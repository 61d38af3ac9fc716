/** Regular expressions for the cells of requests, with texts to try them on. */
import { getRouteApi } from "@tanstack/react-router";
import type { RegexPattern } from "@weft/contracts";
import { regexPatternRoutes } from "@weft/contracts/browser";
import { CircleCheck, CircleX, Regex } from "lucide-react";
import { useEffect, useState } from "react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { AreaField, CheckField, TextField } from "../../ui/field.tsx";
import { ProblemBanner } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import type { FieldsProps, Resource } from "./resource.ts";
import { NamedFields, SharedField } from "./resource-form.tsx";
import { listOwnedColumns, listUses, ResourcePage } from "./resource-page.tsx";

interface PatternForm {
	readonly name: string;
	readonly description: string;
	readonly pattern: string;
	readonly flags: string;
	readonly category: string;
	/** One text per line. */
	readonly tests: string;
	readonly is_public: boolean;
}

const PAUSE_MS = 300;
const FLAGS = [
	["i", "Any case", "Upper and lower case are the same."],
	["m", "Lines", "^ and $ match at each line."],
	["s", "Dot takes line ends", "A dot matches a line end too."],
] as const;

const formatTexts = (tests: string): string[] => tests.split(/\r?\n/).filter((line) => line !== "");

const buildPatternBody = ({ tests, ...rest }: Partial<PatternForm>) => ({
	...rest,
	...(tests === undefined ? {} : { test_strings: formatTexts(tests) }),
});

const patterns: Resource<RegexPattern, PatternForm> = {
	title: "Regex patterns",
	noun: "regex pattern",
	icon: Regex,
	model: "regexpattern",
	about:
		"A regex pattern must match a whole cell of a request, such as a naming rule. Columns of templates refer to it.",
	stale: ["automation_regex_patterns"],
	route: regexPatternRoutes.list,
	columns: [
		{
			key: "pattern",
			head: "Pattern",
			className: "w-1/2",
			cell: ({ pattern, flags }) => (
				<span className="mono block truncate" title={pattern}>
					{pattern}
					{flags && <span className="text-muted"> {flags}</span>}
				</span>
			),
		},
		{ key: "category", head: "Category", cell: ({ category }) => category || "-" },
		...listOwnedColumns<RegexPattern>(),
	],
	paths: ["name", "description", "pattern", "flags", "category", "test_strings"],
	useList: (query) => useAnswer(regexPatternRoutes.list, { query }, { keepPrevious: true }),
	begin: (row) => ({
		name: row?.name ?? "",
		description: row?.description ?? "",
		pattern: row?.pattern ?? "",
		flags: row?.flags ?? "",
		category: row?.category ?? "",
		tests: row?.test_strings.join("\n") ?? "",
		is_public: row?.is_public ?? true,
	}),
	create: ({ tests, ...rest }) =>
		callRoute(regexPatternRoutes.create, { body: { ...rest, test_strings: formatTexts(tests) } }),
	read: ({ id }) => callRoute(regexPatternRoutes.detail, { params: { id } }),
	update: ({ id }, change) => callRoute(regexPatternRoutes.update, { params: { id }, body: buildPatternBody(change) }),
	remove: ({ id }) => callRoute(regexPatternRoutes.remove, { params: { id } }),
	Fields,
	loss: listUses,
};

function Fields({ form, getError, set }: FieldsProps<PatternForm>) {
	const { pattern, flags, tests } = form;
	const trial = useTrial(form);
	const refused = trial.error === null ? undefined : findProblem(trial.error).fields;
	return (
		<>
			<NamedFields form={form} getError={getError} set={set} />
			<TextField
				mono
				label="Pattern"
				required
				maxLength={2000}
				spellCheck={false}
				autoComplete="off"
				hint="RE2 syntax. It must match the whole cell."
				value={pattern}
				error={getError("pattern") ?? refused?.pattern}
				onChange={(event) => set({ pattern: event.target.value })}
			/>
			<fieldset className="m-0 flex min-w-0 flex-wrap gap-x-6 gap-y-2 border-0 p-0">
				<legend className="mb-1 p-0 font-medium">Flags</legend>
				{FLAGS.map(([flag, label, hint]) => (
					<CheckField
						key={flag}
						label={label}
						hint={hint}
						checked={flags.includes(flag)}
						onChange={(event) => set({ flags: event.target.checked ? flags + flag : flags.replace(flag, "") })}
					/>
				))}
			</fieldset>
			<AreaField
				mono
				label="Texts to try"
				rows={4}
				spellCheck={false}
				hint="One per line, at most 100. They are stored with the pattern."
				value={tests}
				error={getError("test_strings") ?? refused?.test_strings}
				onChange={(event) => set({ tests: event.target.value })}
			/>
			{trial.error !== null && refused !== undefined && Object.keys(refused).length === 0 && (
				<ProblemBanner error={trial.error} />
			)}
			{trial.results.length > 0 && (
				<ul aria-label="Results" className="m-0 flex list-none flex-col gap-1 p-0">
					{trial.results.map(({ text, matches }, index) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: the same text may be there twice
						<li key={index} className="flex min-w-0 items-center gap-2">
							<Pill tone={matches ? "ok" : "bad"} icon={matches ? CircleCheck : CircleX}>
								{matches ? "Matches" : "No match"}
							</Pill>
							<span className="mono min-w-0 truncate" title={text}>
								{text}
							</span>
						</li>
					))}
				</ul>
			)}
			<TextField
				label="Category"
				maxLength={100}
				value={form.category}
				error={getError("category")}
				onChange={(event) => set({ category: event.target.value })}
			/>
			<SharedField form={form} set={set} />
		</>
	);
}

/** The service's matches a moment after the last edit: the browser's expressions are not RE2. */
function useTrial({ pattern, flags, tests }: Pick<PatternForm, "pattern" | "flags" | "tests">) {
	const [settled, setSettled] = useState({ pattern, flags, tests });
	useEffect(() => {
		const timer = setTimeout(() => setSettled({ pattern, flags, tests }), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [pattern, flags, tests]);
	const body = { pattern: settled.pattern, flags: settled.flags, test_strings: formatTexts(settled.tests) };
	const enabled = settled.pattern !== "";
	const { data, error } = useAnswer(regexPatternRoutes.test, { body }, { enabled, keepPrevious: true });
	return { results: enabled && error === null ? (data?.results ?? []) : [], error: enabled ? error : null };
}

const route = getRouteApi("/app/settings/reference/patterns");

export const PatternsPage = () => (
	<ResourcePage resource={patterns} search={route.useSearch()} navigate={route.useNavigate()} />
);
