/** Addresses of reference data of automation templates: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

export const automationCategoryPaths = defineCrudPaths("automation_categories", "/api/automation/categories/");

export const columnTemplatePaths = defineCrudPaths("automation_column_templates", "/api/automation/column-templates/");

export const validationListPaths = defineCrudPaths("automation_validation_lists", "/api/automation/validation-lists/");

export const regexPatternPaths = {
	...defineCrudPaths("automation_regex_patterns", "/api/automation/regex-patterns/"),
	test: {
		id: "automation_regex_patterns.test",
		method: "POST",
		path: "/api/automation/regex-patterns/test/",
		auth: "bearer",
	},
} as const;
