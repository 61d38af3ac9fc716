/** The pages of the web server in front of the controller: a JSON parser meets `<`. */
const TITLES: ReadonlyMap<number, string> = new Map([
	[404, "Not Found"],
	[405, "Not Allowed"],
	[413, "Request Entity Too Large"],
	[414, "Request-URI Too Large"],
	[429, "Too Many Requests"],
	[500, "Internal Server Error"],
	[502, "Bad Gateway"],
	[503, "Service Temporarily Unavailable"],
	[504, "Gateway Time-out"],
]);

export function buildHtmlPage(status: number): string {
	const title = `${status} ${TITLES.get(status) ?? "Error"}`;
	return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
}
