/** Addresses of automation templates: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

export const automationTemplatePaths = {
	...defineCrudPaths("automation_templates", "/api/automation/templates/"),
	fromServer: {
		id: "automation_templates.from_server",
		method: "POST",
		path: "/api/automation/templates/from-server/",
		auth: "bearer",
	},
	sheet: {
		id: "automation_templates.sheet",
		method: "GET",
		path: "/api/automation/templates/:id/sheet/",
		auth: "bearer",
	},
	readFile: {
		id: "automation_templates.read_file",
		method: "POST",
		path: "/api/automation/templates/:id/read-file/",
		auth: "bearer",
	},
	readTables: {
		id: "automation_templates.read_tables",
		method: "POST",
		path: "/api/automation/templates/:id/read-tables/",
		auth: "bearer",
	},
	validateInput: {
		id: "automation_templates.validate_input",
		method: "POST",
		path: "/api/automation/templates/validate-input/",
		auth: "bearer",
	},
	validateSheets: {
		id: "automation_templates.validate_sheets",
		method: "POST",
		path: "/api/automation/templates/validate-sheets/",
		auth: "bearer",
	},
	validationStatus: {
		id: "automation_templates.validation_status",
		method: "GET",
		path: "/api/automation/templates/validation-status/:task_id/",
		auth: "bearer",
	},
} as const;
