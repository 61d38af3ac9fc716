/** The JSON Schema of the JSON report, as it is published. */
import { changeWindowRoutes, windowReport } from "@weft/contracts";
import * as z from "zod";

/** Written once per process: about 30 KB of text. */
let schemaText: string | undefined;

/**
 * A schema in draft 2020-12. It accepts fields that it does not name, so that a copy of it still
 * accepts the reports of a later version.
 */
export function writeReportSchema(): string {
	schemaText ??= JSON.stringify({
		$id: changeWindowRoutes.reportSchema.path,
		title: "Report of a change window, version 1",
		...z.toJSONSchema(windowReport, {
			io: "output",
			override: ({ jsonSchema }) => {
				if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
			},
		}),
	});
	return schemaText;
}
