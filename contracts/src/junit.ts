/**
 * Test reports in the JUnit format, as pipelines read them. Elements and attributes are those of
 * Surefire's schema (surefire-test-report.xsd) within one `testsuites`, which Jenkins takes, too.
 */

export interface JunitProblem {
	/** A word by which reports group problems, such as `failing`. */
	readonly type: string;
	/** One line. */
	readonly message: string;
	readonly text: string;
}

/** Passed without failures, an error and a reason to skip it. */
export interface JunitCase {
	readonly name: string;
	readonly classname: string;
	readonly failures?: readonly JunitProblem[];
	/** Why nothing can be said about the case. */
	readonly error?: JunitProblem | null;
	/** Why the case does not count. */
	readonly skipped?: string | null;
}

export interface JunitSuite {
	readonly name: string;
	readonly properties?: Readonly<Record<string, string>>;
	readonly cases: readonly JunitCase[];
}

export function formatJunit(suites: readonly JunitSuite[]): string {
	const all = countCases(suites.flatMap(({ cases }) => cases));
	const total = { tests: all.tests, failures: all.failures, errors: all.errors };
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites${formatAttributes(total)}>`,
		...suites.flatMap(formatSuite),
		"</testsuites>",
		"",
	].join("\n");
}

/** A case with a failure and an error counts once in each. */
const countCases = (cases: readonly JunitCase[]) => ({
	tests: cases.length,
	failures: cases.filter(({ failures = [] }) => failures.length > 0).length,
	errors: cases.filter(({ error = null }) => error !== null).length,
	skipped: cases.filter(({ skipped = null }) => skipped !== null).length,
});

function formatSuite({ name, properties = {}, cases }: JunitSuite): string[] {
	const lines = Object.entries(properties).map(
		([key, value]) => `      <property${formatAttributes({ name: key, value })}/>`,
	);
	return [
		`  <testsuite${formatAttributes({ name, ...countCases(cases) })}>`,
		...(lines.length === 0 ? [] : ["    <properties>", ...lines, "    </properties>"]),
		...cases.map(formatCase),
		"  </testsuite>",
	];
}

function formatCase({ name, classname, failures = [], error = null, skipped = null }: JunitCase): string {
	// The order of the schema. The time is required there, and nobody measures it.
	const body = [
		...failures.map((problem) => formatProblem("failure", problem)),
		...(skipped === null ? [] : [`<skipped${formatAttributes({ message: skipped })}/>`]),
		...(error === null ? [] : [formatProblem("error", error)]),
	].join("");
	const start = `    <testcase${formatAttributes({ classname, name, time: "0" })}`;
	return body === "" ? `${start}/>` : `${start}>${body}</testcase>`;
}

const formatProblem = (element: "failure" | "error", { type, message, text }: JunitProblem): string =>
	`<${element}${formatAttributes({ message, type })}>${escapeXml(text)}</${element}>`;

const formatAttributes = (values: Readonly<Record<string, string | number>>): string =>
	Object.entries(values)
		.map(([name, value]) => ` ${name}="${escapeXml(String(value)).replace(/[\t\n]/g, formatReference)}"`)
		.join("");

/** Parsers make spaces of tabs and line ends in attributes, and line ends of carriage returns. */
const formatReference = (character: string): string => `&#${character.charCodeAt(0)};`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Puts a question mark in the place of what XML 1.0 does not allow (section 2.2). */
const escapeXml = (text: string): string =>
	text
		// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
		.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "?")
		.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
		.replace(/\r/g, formatReference);
