/** Files of Cisco's pre-upgrade validation script, in each of its formats. */
import type { EvidenceFile } from "@weft/contracts";

type Fields = Readonly<Record<string, unknown>>;

export const toFile = (name: string, content: string): EvidenceFile => ({ name, content });

const writeFile = (name: string, fields: Fields): EvidenceFile => toFile(name, JSON.stringify(fields, null, 2));

/** A file of a check with `ruleId`; it has passed unless `fields` say something else. */
export const buildRuleFile = (id: string, fields: Fields): EvidenceFile =>
	writeFile(`${id}.json`, {
		ruleId: id,
		name: id,
		description: "",
		reason: "",
		sub_reason: "",
		recommended_action: "",
		docUrl: "",
		severity: "informational",
		ruleStatus: "passed",
		showValidation: true,
		failureDetails: { failType: "", header: [], data: [], unformatted_header: [], unformatted_data: [] },
		...fields,
	});

/** A file of a check as an object of the controller. */
export const buildObjectFile = (name: string, attributes: Fields): EvidenceFile =>
	writeFile(`${name}.json`, {
		syntheticMaintPValidate: {
			attributes: {
				name,
				description: "",
				reason: "",
				sub_reason: "",
				recommended_action: "",
				docUrl: "",
				criticality: "informational",
				passed: true,
				showValidation: true,
				failureDetails: { failType: "", data: [] },
				...attributes,
			},
		},
	});

/** The file about the run, with the number of checks. */
export const buildMetaFile = (fields: Fields = {}): EvidenceFile =>
	writeFile("meta.json", {
		name: "PreupgradeCheck",
		method: "standalone script",
		datetime: "2024-05-01T10-24-22+0000",
		script_version: "v3.1.0",
		cversion: "6.0(9c)",
		tversion: "6.1(3g)",
		sw_cversion: "16.0(9c)",
		api_only: false,
		timeout: 600,
		total_checks: 1,
		...fields,
	});

export const buildSummaryFile = (counts: Fields): EvidenceFile => writeFile("preupgrade_validator.json", counts);
