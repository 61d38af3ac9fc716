/** Addresses of automation templates: one entry per route. */

export const automationTemplatePaths = {
	list: { id: "automation_templates.list", method: "GET", path: "/api/automation/templates/", auth: "bearer" },
	create: { id: "automation_templates.create", method: "POST", path: "/api/automation/templates/", auth: "bearer" },
	detail: { id: "automation_templates.detail", method: "GET", path: "/api/automation/templates/:id/", auth: "bearer" },
	update: {
		id: "automation_templates.update",
		method: "PATCH",
		path: "/api/automation/templates/:id/",
		auth: "bearer",
	},
	replace: {
		id: "automation_templates.replace",
		method: "PUT",
		path: "/api/automation/templates/:id/",
		auth: "bearer",
	},
	remove: {
		id: "automation_templates.remove",
		method: "DELETE",
		path: "/api/automation/templates/:id/",
		auth: "bearer",
	},
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
