module example.test/sample

go 1.19

require example.test/greeting v1.0.0
