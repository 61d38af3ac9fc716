/** Constants of automation templates. */

export const COLUMN_TYPES = [
	"text",
	"textarea",
	"number",
	"boolean",
	"enum",
	"multi_enum",
	"password",
	"ip",
	"cidr",
	"mac",
	"vlan",
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export const DRAFT_NOTES = [
	"no_survey",
	"survey_cut",
	"question_left_out",
	"unknown_type",
	"default_left_out",
	"range_left_out",
	"constant_given",
	"constant_needed",
	"rows_not_taken",
	"only_constants",
] as const;
