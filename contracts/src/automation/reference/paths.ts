/** Addresses of reference data of automation templates: one entry per route. */

export const automationCategoryPaths = {
	list: { id: "automation_categories.list", method: "GET", path: "/api/automation/categories/", auth: "bearer" },
	create: { id: "automation_categories.create", method: "POST", path: "/api/automation/categories/", auth: "bearer" },
	detail: {
		id: "automation_categories.detail",
		method: "GET",
		path: "/api/automation/categories/:id/",
		auth: "bearer",
	},
	update: {
		id: "automation_categories.update",
		method: "PATCH",
		path: "/api/automation/categories/:id/",
		auth: "bearer",
	},
	replace: {
		id: "automation_categories.replace",
		method: "PUT",
		path: "/api/automation/categories/:id/",
		auth: "bearer",
	},
	remove: {
		id: "automation_categories.remove",
		method: "DELETE",
		path: "/api/automation/categories/:id/",
		auth: "bearer",
	},
} as const;

export const columnTemplatePaths = {
	list: {
		id: "automation_column_templates.list",
		method: "GET",
		path: "/api/automation/column-templates/",
		auth: "bearer",
	},
	create: {
		id: "automation_column_templates.create",
		method: "POST",
		path: "/api/automation/column-templates/",
		auth: "bearer",
	},
	detail: {
		id: "automation_column_templates.detail",
		method: "GET",
		path: "/api/automation/column-templates/:id/",
		auth: "bearer",
	},
	update: {
		id: "automation_column_templates.update",
		method: "PATCH",
		path: "/api/automation/column-templates/:id/",
		auth: "bearer",
	},
	replace: {
		id: "automation_column_templates.replace",
		method: "PUT",
		path: "/api/automation/column-templates/:id/",
		auth: "bearer",
	},
	remove: {
		id: "automation_column_templates.remove",
		method: "DELETE",
		path: "/api/automation/column-templates/:id/",
		auth: "bearer",
	},
} as const;

export const validationListPaths = {
	list: {
		id: "automation_validation_lists.list",
		method: "GET",
		path: "/api/automation/validation-lists/",
		auth: "bearer",
	},
	create: {
		id: "automation_validation_lists.create",
		method: "POST",
		path: "/api/automation/validation-lists/",
		auth: "bearer",
	},
	detail: {
		id: "automation_validation_lists.detail",
		method: "GET",
		path: "/api/automation/validation-lists/:id/",
		auth: "bearer",
	},
	update: {
		id: "automation_validation_lists.update",
		method: "PATCH",
		path: "/api/automation/validation-lists/:id/",
		auth: "bearer",
	},
	replace: {
		id: "automation_validation_lists.replace",
		method: "PUT",
		path: "/api/automation/validation-lists/:id/",
		auth: "bearer",
	},
	remove: {
		id: "automation_validation_lists.remove",
		method: "DELETE",
		path: "/api/automation/validation-lists/:id/",
		auth: "bearer",
	},
} as const;

export const regexPatternPaths = {
	list: {
		id: "automation_regex_patterns.list",
		method: "GET",
		path: "/api/automation/regex-patterns/",
		auth: "bearer",
	},
	create: {
		id: "automation_regex_patterns.create",
		method: "POST",
		path: "/api/automation/regex-patterns/",
		auth: "bearer",
	},
	detail: {
		id: "automation_regex_patterns.detail",
		method: "GET",
		path: "/api/automation/regex-patterns/:id/",
		auth: "bearer",
	},
	update: {
		id: "automation_regex_patterns.update",
		method: "PATCH",
		path: "/api/automation/regex-patterns/:id/",
		auth: "bearer",
	},
	replace: {
		id: "automation_regex_patterns.replace",
		method: "PUT",
		path: "/api/automation/regex-patterns/:id/",
		auth: "bearer",
	},
	remove: {
		id: "automation_regex_patterns.remove",
		method: "DELETE",
		path: "/api/automation/regex-patterns/:id/",
		auth: "bearer",
	},
	test: {
		id: "automation_regex_patterns.test",
		method: "POST",
		path: "/api/automation/regex-patterns/test/",
		auth: "bearer",
	},
} as const;
