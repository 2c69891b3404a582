round({{newest earned}} / {{newest weight}} - ({{earned}} - {{newest earned}}) / nullif({{weight}} - {{newest weight}}, 0), 10)
