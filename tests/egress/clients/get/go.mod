module get

go 1.18
